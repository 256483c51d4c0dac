; A decorated definition begins at its decorators: of two finds with one name the larger counts.
(class_definition name: (identifier) @name) @class
(decorated_definition definition: (class_definition name: (identifier) @name)) @class
(function_definition name: (identifier) @name) @function
(decorated_definition definition: (function_definition name: (identifier) @name)) @function
(comment) @comment
(module (expression_statement (assignment)) @field)
(class_definition body: (block (expression_statement (assignment)) @field))
