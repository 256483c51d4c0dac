(class_declaration name: (_) @name) @class
(protocol_declaration name: (_) @name) @interface
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration "init" @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(property_declaration name: (_) @name computed_value: (_) @body) @method
(typealias_declaration name: (type_identifier) @name) @type
(comment) @comment
(multiline_comment) @comment
(source_file (property_declaration) @field)
(class_body (property_declaration) @field)
(enum_class_body (enum_entry) @field)
(protocol_body (protocol_property_declaration) @field)
