; Of called identifiers only `require` counts; that is looked at later.
(import_statement source: (string) @module)
(export_statement source: (string) @module)
(call_expression function: (import) arguments: (arguments . [(string) (template_string)] @module))
(call_expression function: (identifier) @called arguments: (arguments . [(string) (template_string)] @module))
