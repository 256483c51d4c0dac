"""The loading protocol: five steps that choose the files of a domain for a project."""
