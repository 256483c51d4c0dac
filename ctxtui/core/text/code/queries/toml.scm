(table . [(bare_key) (quoted_key) (dotted_key)] @name) @table
(table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name) @table
(comment) @comment
(pair) @field
