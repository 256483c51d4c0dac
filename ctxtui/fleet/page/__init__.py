"""The fleet page: one HTML file for a browser or printer, without requests to any server."""
