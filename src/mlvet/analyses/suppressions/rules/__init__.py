"""What can be wrong with a suppression."""
