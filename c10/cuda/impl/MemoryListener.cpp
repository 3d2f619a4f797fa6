// Who is told of blocks.

#include <c10/cuda/impl/MemoryListener.h>

namespace c10::cuda::impl {

std::atomic<MemoryListener> g_memory_listener{nullptr};

}  // namespace c10::cuda::impl
