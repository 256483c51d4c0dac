"""The fleet: the audit of many repositories, on this machine's cores or on a cluster, and its reports."""
