"""Git as a program, and the files of a repository read without it."""
