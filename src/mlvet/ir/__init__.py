"""The augmented computation graph that every front end yields and every static engine reads."""
