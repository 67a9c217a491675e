"""What holds a program to its grant: namespaces, Landlock, and what of the machine it needs."""
