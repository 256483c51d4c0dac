"""The structure of Markdown: documents, sections, links, lists, tasks and dates."""
