"""Protocol buffers read in place: the schema is a .proto text, bytes of weights stay where they are in the file."""
