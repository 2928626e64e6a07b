"""One file per pattern: when an answer of the rules is worth telling, in which words, and with which edit."""
