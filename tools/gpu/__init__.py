"""What tools/try_gpu.sh runs on a GPU."""
