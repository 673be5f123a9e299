"""What an fstab has today: its mounts, what the linter says of them, and how they compare with what is recommended."""
