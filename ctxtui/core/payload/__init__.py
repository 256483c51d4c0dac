"""The payload: drafts, blocks, export formats, and how text is cut to fit a budget."""
