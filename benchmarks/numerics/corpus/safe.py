def patterns(form): return []
