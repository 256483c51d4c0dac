"""Ways out for the payload: a file, the clipboard, an agent, a vendor's counter."""
