"""One file per rule about shapes."""
