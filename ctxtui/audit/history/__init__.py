"""Old states of a project: commits, trees and blobs, and what context cost in them."""
