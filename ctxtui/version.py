"""The version of ctxtui, said once: the package is built with it."""

__version__ = "0.1.0"
