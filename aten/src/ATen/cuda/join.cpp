// Joins the dispatcher when libtorch_cuda is loaded.

namespace at {

void join_CUDA();  // generated: Kernels_CUDA.cpp

[[maybe_unused]] static const bool g_joined = (join_CUDA(), true);

}  // namespace at
