; What is called is looked at later.
(call target: (identifier) @called (arguments . [(alias) (string)] @name) (do_block)) @module
(call target: (identifier) @called (arguments . [(identifier) @name
  (call target: (identifier) @name)
  (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")])) @function
(unary_operator operator: "@") @lead
(comment) @comment
(do_block (call target: (identifier) (arguments)) @field)
