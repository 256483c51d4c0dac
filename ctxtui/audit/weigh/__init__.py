"""MCP servers that agents start: which there are, what their tools cost, and the consent to run them."""
