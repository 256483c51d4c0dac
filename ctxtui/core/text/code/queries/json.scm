(document (object (pair key: (_) @name value: [(object) (array)] @body) @key))
(pair value: (object (pair key: (_) @name value: [(object) (array)] @body) @key))
(comment) @comment
(object (pair) @field)
