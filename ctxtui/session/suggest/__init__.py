"""Suggestions: from the words of a task to the parts of the project that belong to it, within a budget."""
