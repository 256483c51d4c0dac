(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
; With and without `export` and `declare`: of several finds with one name the larger counts.
[(class_declaration name: (_) @name) (export_statement declaration: (class_declaration name: (_) @name))
  (ambient_declaration (class_declaration name: (_) @name))
  (export_statement declaration: (ambient_declaration (class_declaration name: (_) @name)))] @class
[(abstract_class_declaration name: (_) @name) (export_statement declaration: (abstract_class_declaration name: (_) @name))
  (ambient_declaration (abstract_class_declaration name: (_) @name))
  (export_statement declaration: (ambient_declaration (abstract_class_declaration name: (_) @name)))] @class
[(interface_declaration name: (_) @name) (export_statement declaration: (interface_declaration name: (_) @name))
  (ambient_declaration (interface_declaration name: (_) @name))
  (export_statement declaration: (ambient_declaration (interface_declaration name: (_) @name)))] @interface
[(type_alias_declaration name: (_) @name) (export_statement declaration: (type_alias_declaration name: (_) @name))
  (ambient_declaration (type_alias_declaration name: (_) @name))
  (export_statement declaration: (ambient_declaration (type_alias_declaration name: (_) @name)))] @type
[(enum_declaration name: (_) @name) (export_statement declaration: (enum_declaration name: (_) @name))
  (ambient_declaration (enum_declaration name: (_) @name))
  (export_statement declaration: (ambient_declaration (enum_declaration name: (_) @name)))] @enum
[(internal_module name: (_) @name) (export_statement declaration: (internal_module name: (_) @name))
  (ambient_declaration (internal_module name: (_) @name))
  (export_statement declaration: (ambient_declaration (internal_module name: (_) @name)))] @namespace
[(module name: (_) @name) (export_statement declaration: (module name: (_) @name))
  (ambient_declaration (module name: (_) @name))
  (export_statement declaration: (ambient_declaration (module name: (_) @name)))] @namespace
[(function_signature name: (_) @name) (export_statement declaration: (function_signature name: (_) @name))
  (ambient_declaration (function_signature name: (_) @name))
  (export_statement declaration: (ambient_declaration (function_signature name: (_) @name)))] @function
[(ambient_declaration "global" @name) (export_statement declaration: (ambient_declaration "global" @name))] @namespace
(abstract_method_signature name: (_) @name) @method
[(lexical_declaration . (variable_declarator name: (identifier) @name value: [
    (as_expression (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])]))
    (satisfies_expression (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])]))]))
  (export_statement declaration: (lexical_declaration . (variable_declarator name: (identifier) @name value: [
    (as_expression (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])]))
    (satisfies_expression (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])]))])))] @object
(variable_declarator value: [(as_expression (object (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method))
  (satisfies_expression (object (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method))])
(class_body (public_field_definition) @field)
(class_body (method_signature) @field)
(class_body (method_signature name: (_) @name) @overload
  . [(method_signature name: (_) @declarator) (method_definition name: (_) @declarator)] @scope)
