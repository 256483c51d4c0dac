(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(line_comment) @comment
(block_comment) @comment
(field_declaration) @field
(constant_declaration) @field
; A constant that is an object of an anonymous class holds the methods of that.
[(field_declaration declarator: (variable_declarator name: (_) @name value: (object_creation_expression (class_body))))
  (constant_declaration declarator: (variable_declarator name: (_) @name
    value: (object_creation_expression (class_body))))
  (field_declaration declarator: (variable_declarator name: (_) @name
    value: (method_invocation arguments: (argument_list (object_creation_expression (class_body))))))
  (field_declaration declarator: (variable_declarator name: (_) @name
    value: (method_invocation object: (object_creation_expression (class_body)))))
  (enum_constant name: (_) @name body: (class_body))] @object
