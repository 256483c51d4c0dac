(class_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(method_definition name: (_) @name) @method
(lexical_declaration . (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])) @function
(variable_declaration . (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)])) @function
(lexical_declaration . (variable_declarator name: (identifier) @name value: (class))) @class
(expression_statement (assignment_expression left: (member_expression property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)])) @function
(export_statement declaration: (class_declaration name: (_) @name)) @class
(export_statement declaration: (function_declaration name: (_) @name)) @function
(export_statement declaration: (generator_function_declaration name: (_) @name)) @function
(export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]))) @function
(export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
  value: (class)))) @class
(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement "default" @name value: (class)) @class
(decorator) @lead
(comment) @comment
(program (lexical_declaration) @field)
(program (export_statement declaration: (lexical_declaration)) @field)
