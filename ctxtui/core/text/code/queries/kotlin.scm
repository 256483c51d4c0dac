(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(companion_object name: (_) @name) @class
(companion_object !name "companion" @name) @class
(function_declaration name: (_) @name) @function
(secondary_constructor "constructor" @name) @function
(type_alias type: (_) @name) @type
(line_comment) @comment
(block_comment) @comment
(source_file (property_declaration) @field)
(class_body (property_declaration) @field)
(enum_class_body (enum_entry) @field)
