(namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @type
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration name: (_) @name) @method
(comment) @comment
(field_declaration) @field
(property_declaration) @field
(indexer_declaration) @field
(event_field_declaration) @field
(event_declaration) @field
(operator_declaration) @field
