(class_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(method_definition name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
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
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(function_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @method
(export_statement declaration: (abstract_class_declaration name: (_) @name)) @class
(export_statement declaration: (interface_declaration name: (_) @name)) @interface
(export_statement declaration: (type_alias_declaration name: (_) @name)) @type
(export_statement declaration: (enum_declaration name: (_) @name)) @enum
(export_statement declaration: (internal_module name: (_) @name)) @namespace
(export_statement declaration: (function_signature name: (_) @name)) @function
(ambient_declaration (_ name: (_) @name)) @type
