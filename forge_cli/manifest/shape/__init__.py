"""What the types of the language refuse, and the data as it may be judged all the same."""
