"""The client of MCP engines: where they are, the connection, and their replies."""
