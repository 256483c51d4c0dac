(function_definition declarator: (_) @declarator) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @type
(namespace_definition name: (_) @name) @namespace
(concept_definition name: (_) @name) @type
(type_definition type: [(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))]
  declarator: (type_identifier) @name) @type
(template_declaration (function_definition declarator: (_) @declarator)) @function
(template_declaration (class_specifier name: (_) @name body: (_))) @class
(template_declaration (struct_specifier name: (_) @name body: (_))) @class
(comment) @comment
(translation_unit [(declaration) (type_definition) (alias_declaration) (preproc_def) (preproc_function_def)] @field)
(preproc_ifdef [(declaration) (type_definition) (alias_declaration) (preproc_def) (preproc_function_def)] @field)
(preproc_if [(declaration) (type_definition) (alias_declaration) (preproc_def) (preproc_function_def)] @field)
(declaration_list [(declaration) (type_definition) (alias_declaration)] @field)
(field_declaration_list [(declaration) (field_declaration) (alias_declaration) (friend_declaration) (access_specifier)]
  @field)
