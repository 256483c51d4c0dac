"""What goes on in the background of the desk, each thing by itself."""
