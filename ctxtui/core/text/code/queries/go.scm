(function_declaration name: (_) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (type_identifier) @scope))
  name: (_) @name) @method
(method_declaration receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @scope)))
  name: (_) @name) @method
(method_declaration receiver: (parameter_list (parameter_declaration
  type: (generic_type type: (type_identifier) @scope))) name: (_) @name) @method
(method_declaration receiver: (parameter_list (parameter_declaration
  type: (pointer_type (generic_type type: (type_identifier) @scope)))) name: (_) @name) @method
; The first is a group or not; what is alone in its declaration begins with `type`.
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(type_declaration . (type_spec name: (_) @name) .) @type
(type_declaration . (type_alias name: (_) @name) .) @type
(comment) @comment
(source_file (const_declaration) @field)
(source_file (var_declaration) @field)
(const_declaration "(" (const_spec) @field)
