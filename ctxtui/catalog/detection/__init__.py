"""Detection: the signals of a project, and the rules of a domain that they match."""
