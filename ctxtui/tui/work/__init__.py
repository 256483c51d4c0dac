"""The background work of the desk, one module per task."""
