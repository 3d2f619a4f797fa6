"""Pictures of cycles of references that keep tensors alive."""
