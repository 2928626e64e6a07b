"""One file per rule about efficiency."""
