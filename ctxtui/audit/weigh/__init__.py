"""MCP servers that agents start: discovery, the cost of their tools, and consent to run them."""
