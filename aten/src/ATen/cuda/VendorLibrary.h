#pragma once
// Opens NVIDIA's libraries when they are first called.

namespace at::cuda {

// Opens the library of that name (libcublas.so.13), of the system or of the PyPI package beside
// this one. Throws, and says which package has it, if it is not there.
void* open_vendor_library(const char* name, const char* package);
void* vendor_function(void* library, const char* name);

}  // namespace at::cuda
