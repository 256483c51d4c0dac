(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
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
(class_body (public_field_definition) @field)
(class_body (method_signature) @field)
