(function_definition declarator: (_) @declarator) @function
(struct_specifier name: (_) @name body: (_)) @type
(union_specifier name: (_) @name body: (_)) @type
(enum_specifier name: (_) @name body: (_)) @type
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]
  declarator: (type_identifier) @name) @type
(comment) @comment
(translation_unit [(declaration) (type_definition) (preproc_def) (preproc_function_def)] @field)
(preproc_ifdef [(declaration) (type_definition) (preproc_def) (preproc_function_def)] @field)
(preproc_if [(declaration) (type_definition) (preproc_def) (preproc_function_def)] @field)
(declaration_list [(declaration) (type_definition) (preproc_def) (preproc_function_def)] @field)
