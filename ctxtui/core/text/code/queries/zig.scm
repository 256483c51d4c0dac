(function_declaration name: (_) @name) @function
(variable_declaration (identifier) @name
  [(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration)] @body) @class
(test_declaration [(string) (identifier)] @name (block) @body) @function
(comment) @comment
(source_file (variable_declaration) @field)
(container_field) @field
