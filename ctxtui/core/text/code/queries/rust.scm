(mod_item name: (_) @name) @module
(struct_item name: (_) @name) @type
(union_item name: (_) @name) @type
(enum_item name: (_) @name) @type
(type_item name: (_) @name) @type
(trait_item name: (_) @name) @trait
(impl_item type: (_) @scope) @impl
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(attribute_item) @lead
(line_comment) @comment
(block_comment) @comment
(const_item) @field
(static_item) @field
(associated_type) @field
(mod_item !body) @field
