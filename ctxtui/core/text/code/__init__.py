"""Code files: their symbols as parts, by the grammars of tree-sitter."""
