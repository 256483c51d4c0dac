"""Templates of users: export formats of their own, rendered by Jinja2 in a process of its own."""
