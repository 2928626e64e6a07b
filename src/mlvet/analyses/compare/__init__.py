"""Do the backends agree on this model, and who is wrong?"""
