#pragma once
// Files in memory whose bytes are mapped at several addresses or by several processes.

#include <c10/cuda/impl/SharedFile.h>

namespace torch_emulated_cuda {

using c10::cuda::impl::FileId;
using c10::cuda::impl::make_shared_file;
using c10::cuda::impl::open_shared_file;

bool is_alive(pid_t process);

// mmap and pwrite as the system has them. AddressSanitizer takes the libc's for accesses, and
// would undo what is poisoned there.
void* map_at(void* address, size_t size, int access, int flags, int descriptor, size_t offset);
bool write_at(int descriptor, const void* bytes, size_t size, size_t offset);

}  // namespace torch_emulated_cuda
