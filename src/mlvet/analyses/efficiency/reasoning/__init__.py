"""Rules over facts: what they ask for, how they are run, and what each answer rests on."""
