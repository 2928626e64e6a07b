"""torch.nn.Module and Parameter."""
