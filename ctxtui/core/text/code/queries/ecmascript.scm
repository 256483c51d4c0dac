; Of several finds with one name the larger counts, such as the one with `export` before it.
[(class_declaration name: (_) @name) (export_statement declaration: (class_declaration name: (_) @name))] @class
[(function_declaration name: (_) @name) (export_statement declaration: (function_declaration name: (_) @name))] @function
[(generator_function_declaration name: (_) @name)
  (export_statement declaration: (generator_function_declaration name: (_) @name))] @function
(method_definition name: (_) @name) @method
[(lexical_declaration . (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]))
  (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)])))
  (variable_declaration . (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]))] @function
[(lexical_declaration . (variable_declarator name: (identifier) @name value: (class)))
  (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
    value: (class))))] @class
; A function that is given to another one, such as `memo(() => …)`, and a call of a call.
[(lexical_declaration . (variable_declarator name: (identifier) @name
    value: (call_expression arguments: (arguments [(arrow_function) (function_expression) (generator_function)]))))
  (lexical_declaration . (variable_declarator name: (identifier) @name
    value: (call_expression arguments: (arguments (call_expression arguments: (arguments [(arrow_function) (function_expression) (generator_function)]))))))
  (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
    value: (call_expression arguments: (arguments [(arrow_function) (function_expression) (generator_function)])))))
  (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
    value: (call_expression arguments: (arguments (call_expression arguments: (arguments [(arrow_function) (function_expression) (generator_function)])))))))] @function
[(lexical_declaration . (variable_declarator name: (identifier) @name
    value: (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])])))
  (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name
    value: (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])]))))
  (variable_declaration . (variable_declarator name: (identifier) @name
    value: (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])])))
  (expression_statement (assignment_expression left: (member_expression property: (_) @name)
    right: (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])])))] @object
(variable_declarator value: (object (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method))
(assignment_expression right: (object (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method))
(export_statement value: (object (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method))
(export_statement value: (call_expression arguments: (arguments
  (object (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method))))
(expression_statement (assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression) (generator_function)])) @function
(expression_statement (assignment_expression left: (member_expression property: (_) @name)
  right: (assignment_expression right: [(arrow_function) (function_expression) (generator_function)]))) @function
(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement "default" @name value: (class)) @class
(export_statement "default" @name value: (call_expression arguments: (arguments [(arrow_function) (function_expression) (generator_function)]))) @function
(export_statement "default" @name value: [(object) (call_expression)]) @object
(decorator) @lead
(comment) @comment
(program (lexical_declaration) @field)
(program (export_statement declaration: (lexical_declaration)) @field)
