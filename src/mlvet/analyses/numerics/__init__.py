"""Can this architecture produce NaN or infinity?"""
