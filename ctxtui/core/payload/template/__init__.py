"""Templates: export formats that users write, rendered by Jinja2 in a sandboxed process."""
