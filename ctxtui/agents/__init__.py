"""What coding agents load from a project: a table of rules and its interpreter."""

from ctxtui.agents.classify import Load, agent_files, classify
from ctxtui.agents.table import Agent, Limit, Row, load_table

__all__ = ["Agent", "Limit", "Load", "Row", "agent_files", "classify", "load_table"]
