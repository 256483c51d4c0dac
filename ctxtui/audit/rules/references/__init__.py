"""Rules about references: files, folders, commands, skills and numbers that a text names and the project lacks."""
