"""advisor: checks NFS configuration against a cited rule base and explains every recommendation."""

__version__ = "0.1.0"
