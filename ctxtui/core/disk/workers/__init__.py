"""Worker processes of this package, which end with the process that started them."""
