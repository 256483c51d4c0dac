(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(comment) @comment
(program (assignment left: (constant)) @field)
(module body: (body_statement [(call) (assignment left: (constant))] @field))
(class body: (body_statement [(call) (assignment left: (constant))] @field))
