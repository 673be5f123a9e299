"""What the counters of the kernel tell: two readings, what lies between them, and what follows."""
