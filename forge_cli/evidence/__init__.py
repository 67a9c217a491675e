"""The files that anyone can verify, and their verification."""
