"""Old states of a project: commits, trees, blobs, and their context costs."""
