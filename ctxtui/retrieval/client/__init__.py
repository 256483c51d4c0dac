"""The client of MCP engines: their addresses, the connection, and their replies."""
