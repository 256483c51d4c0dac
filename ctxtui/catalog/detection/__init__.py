"""Detection: what a project says of itself, and which rules of a domain that meets."""
