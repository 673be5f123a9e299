"""A host as its files show it: this one, a copy in a folder or an archive, or a bundle. Nothing on it is changed."""
