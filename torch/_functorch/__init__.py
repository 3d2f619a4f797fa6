"""What stands behind torch.func, under the names that packages import."""
