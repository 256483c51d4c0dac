"""Reports of an audit: the values, and their JSON, Markdown and SARIF."""
