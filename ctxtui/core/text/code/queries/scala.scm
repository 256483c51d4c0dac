(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(package_object name: (_) @name) @class
(trait_definition name: (_) @name) @trait
(enum_definition name: (_) @name) @enum
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(given_definition name: (_) @name) @function
(type_definition name: (_) @name) @type
(comment) @comment
(block_comment) @comment
(template_body (val_definition) @field)
(template_body (var_definition) @field)
(compilation_unit (val_definition) @field)
(enum_case_definitions) @field
