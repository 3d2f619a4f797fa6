#pragma once
// Storages in memory that several processes map.
//
// Note [Shared memory]
// The memory is a file without a name (memfd), so that the system frees it when the last process
// that maps it or holds its descriptor is gone, however that process ended. A storage keeps the
// descriptor, to be sent on. A storage that is moved into shared memory stays the same storage: all
// tensors on it see the new place.

#include <ATen/core/Tensor.h>

namespace torch {

bool is_shared_storage(const at::Storage& s);
// Moves the storage into shared memory if it is not there. Returns its file descriptor, which stays
// the storage's. The caller must hold the GIL, which is released during the copy.
int share_storage(const at::Storage& s);
at::Storage new_shared_storage(size_t nbytes);
// A new descriptor, the caller's, of memory with the bytes of the storage as they are now.
int copy_to_descriptor(const at::Storage& s);
// The storage over the memory of a descriptor, which the caller keeps: the same as before if this
// process has one. Without `keep_descriptor` it cannot be sent on without a copy.
at::Storage storage_from_descriptor(int fd, size_t nbytes, bool keep_descriptor);

}  // namespace torch
