"""What is legal and yet mostly a slip: shapes that broadcast by accident, loops that forget a step."""
