// copy_ on and between CUDA devices, with conversion; reading of single elements.

#include <ATen/native/common/cuda/Convert.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/ops/_copy_from_native.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/PeerAccess.h>
#include <c10/cuda/PinnedMemory.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

template <typename To, typename From>
struct Cast {
  __device__ To operator()(From x) const { return static_cast<To>(x); }
};

// Elements are moved as integers of their size.
void move(TensorIteratorBase& iter) {
  gpu_dispatch_bits(elementSize(iter.dtype()),
                    [&]<typename T>(TypeTag<T>) { gpu_kernel_bits(iter, Cast<T, T>()); });
}

bool has_one_layout(const Tensor& a, const Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.strides() == b.strides() &&
         a.is_non_overlapping_and_dense();
}

// Both on one device.
void copy_here(const Tensor& to, const Tensor& from) {
  if (has_one_layout(to, from)) {
    if (to.data_ptr() == from.data_ptr()) return;
    C10_CUDA_CHECK(cudaMemcpyAsync(to.data_ptr(), from.data_ptr(), to.nbytes(),
                                   cudaMemcpyDeviceToDevice, c10::cuda::getCurrentCUDAStream()));
    return;
  }
  auto iter = TensorIteratorConfig("copy_")
                  .add_output(to)
                  .add_input(from)
                  .resize_outputs(false)
                  .check_all_same_dtype(false)
                  .build();
  const ScalarType t = to.scalar_type(), f = from.scalar_type();
  if (t == f) return move(iter);
  if (t == kFloat && f == kHalf) return gpu_kernel(iter, Cast<float, c10::Half>());
  if (t == kHalf && f == kFloat) return gpu_kernel(iter, Cast<c10::Half, float>());
  if (t == kFloat && f == kBFloat16) return gpu_kernel(iter, Cast<float, c10::BFloat16>());
  if (t == kBFloat16 && f == kFloat) return gpu_kernel(iter, Cast<c10::BFloat16, float>());
  convert_operands(iter);
}

// One stream's work waits for what another one has now.
void let_wait(c10::cuda::CUDAStream waits, c10::cuda::CUDAStream on) {
  if (waits == on) return;
  cudaEvent_t event;
  {
    c10::cuda::impl::DeviceScope scope(on.device_index());
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    C10_CUDA_CHECK(cudaEventRecord(event, on));
  }
  // The default stream is that of the current device.
  c10::cuda::impl::DeviceScope scope(waits.device_index());
  C10_CUDA_CHECK(cudaStreamWaitEvent(waits, event, 0));
  C10_CUDA_CHECK(cudaEventDestroy(event));
}

// Between two devices, on the stream of the source, in the order of both devices' streams. Without
// peer access CUDA takes the bytes through the host.
void copy_to_peer(const Tensor& to, const Tensor& from) {
  c10::cuda::enable_peer_access(from.device().index(), to.device().index());
  auto source = c10::cuda::getCurrentCUDAStream(from.device().index());
  auto target = c10::cuda::getCurrentCUDAStream(to.device().index());
  let_wait(source, target);
  C10_CUDA_CHECK(cudaMemcpyPeerAsync(to.data_ptr(), to.device().index(), from.data_ptr(),
                                     from.device().index(), to.nbytes(), source));
  let_wait(target, source);
  c10::cuda::CUDACachingAllocator::recordStream(to.storage().unsafeGetStorageImpl()->data_ptr(),
                                                source);
}

// Dense memory of one layout on both sides, one of them the host's. Without non_blocking the host
// waits; with it, it waits for memory that is not pinned inside CUDA.
void copy_with_host(const Tensor& to, const Tensor& from, bool non_blocking) {
  const Tensor& here = to.is_cuda() ? to : from;
  auto stream = c10::cuda::getCurrentCUDAStream(here.device().index());
  auto kind = to.is_cuda() ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  C10_CUDA_CHECK(cudaMemcpyAsync(to.data_ptr(), from.data_ptr(), to.nbytes(), kind, stream));
  if (!non_blocking)
    return c10::cuda::stream_synchronize(stream, "a copy that is not non_blocking");
  const Tensor& there = to.is_cuda() ? from : to;
  c10::cuda::record_pinned(there.storage().unsafeGetStorageImpl()->data_ptr(), stream);
}

}  // namespace

// Copies between devices take the bytes of dense tensors of one type and layout: what differs is
// made equal on the side where that is possible.
Tensor _copy_from_cuda(const Tensor& self, const Tensor& dst, bool non_blocking) {
  const Device from = self.device(), to = dst.device();
  TORCH_CHECK_NOT_IMPLEMENTED((from.is_cpu() || from.is_cuda()) && (to.is_cpu() || to.is_cuda()),
                              "copy_: no copy from device ", from, " to ", to);
  c10::OptionalDeviceGuard guard(from.is_cuda() ? from : to);
  if (from == to) {
    Tensor source = self.is_alias_of(dst) && !has_one_layout(dst, self) ? at::clone(self) : self;
    copy_here(dst, source);
    return dst;
  }
  if (!has_one_layout(dst, self)) {
    // The type is changed before the bytes travel, or after it if it grows.
    Tensor source = self, target = dst;
    const bool shrinks = self.itemsize() >= dst.itemsize();
    if (shrinks || !self.is_non_overlapping_and_dense()) {
      source = at::empty_like(
          self, self.options().dtype(shrinks ? dst.scalar_type() : self.scalar_type()),
          MemoryFormat::Contiguous);
      copy_(source, self, false);
    }
    target = at::empty_strided(source.sizes(), source.strides(),
                               dst.options().dtype(source.scalar_type()));
    _copy_from_cuda(source, target, false);
    Tensor result = dst;
    copy_(result, target, false);
    return dst;
  }
  if (from.is_cuda() && to.is_cuda()) copy_to_peer(dst, self);
  else copy_with_host(dst, self, non_blocking);
  return dst;
}

static Scalar local_scalar_dense_kernel(const Tensor& self) {
  TORCH_CHECK(self.numel() > 0,
              "_local_scalar_dense: expected a tensor with a value, got one of size ",
              self.sizes());
  c10::OptionalDeviceGuard guard(self.device());
  alignas(16) char bytes[16];
  auto stream = c10::cuda::getCurrentCUDAStream();
  C10_CUDA_CHECK(
      cudaMemcpyAsync(bytes, self.data_ptr(), self.itemsize(), cudaMemcpyDeviceToHost, stream));
  c10::cuda::stream_synchronize(stream, "item()");
  Scalar value;
  dispatch_types<AllTypes>(self.scalar_type(), "item", [&]<typename T>(TypeTag<T>) {
    value = Scalar(*reinterpret_cast<const T*>(bytes));
  });
  return value;
}

REGISTER_CUDA_DISPATCH(local_scalar_dense_stub, &local_scalar_dense_kernel)

}  // namespace at::native
