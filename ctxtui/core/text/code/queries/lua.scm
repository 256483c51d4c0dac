(function_declaration name: (identifier) @name) @function
(function_declaration name: (dot_index_expression table: (_) @scope field: (_) @name)) @function
(function_declaration name: (method_index_expression table: (_) @scope method: (_) @name)) @function
(assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: (function_definition body: (_) @body))) @function
(variable_declaration (assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: (function_definition body: (_) @body)))) @function
(assignment_statement (variable_list name: (dot_index_expression table: (_) @scope field: (_) @name))
  (expression_list value: (function_definition body: (_) @body))) @function
(comment) @comment
(chunk (variable_declaration) @field)
(chunk (assignment_statement) @field)
