(import_statement name: (dotted_name) @dotted)
(import_statement name: (aliased_import name: (dotted_name) @dotted))
(import_from_statement) @from
