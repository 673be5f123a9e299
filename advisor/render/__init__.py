"""How results are shown. Imports data types only."""
