(function_definition name: (_) @name) @function
(comment) @comment
(program (variable_assignment) @field)
(program (declaration_command) @field)
