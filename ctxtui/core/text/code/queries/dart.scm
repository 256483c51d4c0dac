; A body is the sibling of its signature; of two finds with one name the larger counts.
(class_definition name: (_) @name) @class
(mixin_declaration (identifier) @name) @class
(enum_declaration name: (_) @name) @enum
(extension_declaration name: (_) @name) @class
(type_alias . (type_identifier) @name) @type
([(function_signature name: (identifier) @name) (getter_signature name: (_) @name) (setter_signature name: (_) @name)] @function
  . (function_body) @body)
(method_signature [(function_signature name: (identifier) @name) (getter_signature name: (_) @name)
  (setter_signature name: (_) @name) (constructor_signature name: (_) @name . parameters: (_))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @method
((method_signature [(function_signature name: (identifier) @name) (getter_signature name: (_) @name)
  (setter_signature name: (_) @name) (constructor_signature name: (_) @name . parameters: (_))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @method . (function_body) @body)
(declaration [(function_signature name: (identifier) @name) (getter_signature name: (_) @name)
  (constructor_signature name: (_) @name . parameters: (_))]) @method
(class_body (annotation) @lead)
(program (annotation) @lead)
(comment) @comment
(documentation_comment) @comment
(class_body (declaration) @field)
(program (static_final_declaration_list) @field)
