(namespace_definition name: (_) @name body: (_)) @namespace
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
(comment) @comment
(const_declaration) @field
(property_declaration) @field
(enum_case) @field
(declaration_list (use_declaration) @field)
