// masked_select, masked_scatter and nonzero on CUDA devices.
//
// Blocks count the elements that are selected in their pieces of the mask; one block adds the
// counts up to the places where the pieces' elements begin; then the blocks move their elements.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/masked/masked.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/copy_.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/item.h>
#include <ATen/ops/masked_select_native.h>
#include <ATen/ops/nonzero_native.h>
#include <ATen/ops/select.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/common/cuda/Loops.cuh>

namespace at::native {
namespace {

constexpr int kThreads = 256, kElements = 16;  // of a thread, one after the other
constexpr int64_t kPiece = kThreads * kElements;

// The sum of the values of the threads before this one, and that of all.
struct Prefix {
  int64_t before, total;
};
__device__ Prefix block_prefix(int64_t value) {
  __shared__ int64_t sums[2][kThreads];
  const unsigned thread = threadIdx.x;
  int from = 0;
  sums[0][thread] = value;
  for (unsigned step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    sums[1 - from][thread] = sums[from][thread] + (thread >= step ? sums[from][thread - step] : 0);
    from = 1 - from;
  }
  __syncthreads();
  const Prefix prefix{sums[from][thread] - value, sums[from][kThreads - 1]};
  __syncthreads();
  return prefix;
}

struct Mask {
  const bool* mask;
  int64_t numel;

  __device__ int64_t begin() const {
    return static_cast<int64_t>(blockIdx.x) * kPiece +
           static_cast<int64_t>(threadIdx.x) * kElements;
  }
  __device__ int64_t end() const {
    const int64_t end = begin() + kElements;
    return end < numel ? end : numel;
  }
  __device__ int64_t count() const {
    int64_t n = 0;
    for (int64_t i = begin(), stop = end(); i < stop; ++i) n += mask[i];
    return n;
  }
};

__global__ void __launch_bounds__(kThreads) count_kernel(Mask mask, int64_t* counts) {
  const Prefix prefix = block_prefix(mask.count());
  if (threadIdx.x == 0) counts[blockIdx.x] = prefix.total;
}

// The counts become the sums of those before them; the last entry is the sum of all.
__global__ void __launch_bounds__(kThreads) add_counts_kernel(int64_t* counts, int64_t n) {
  int64_t sum = 0;
  for (int64_t first = 0; first < n; first += kThreads) {
    const int64_t i = first + threadIdx.x;
    const Prefix prefix = block_prefix(i < n ? counts[i] : 0);
    if (i < n) counts[i] = sum + prefix.before;
    sum += prefix.total;
  }
  if (threadIdx.x == 0) counts[n] = sum;
}

// move(k, i): element i is the k-th one that is selected.
template <typename Move>
__global__ void __launch_bounds__(kThreads)
    move_kernel(Mask mask, const int64_t* begins, Move move) {
  int64_t k = begins[blockIdx.x] + block_prefix(mask.count()).before;
  for (int64_t i = mask.begin(), stop = mask.end(); i < stop; ++i) {
    if (mask.mask[i]) move(k++, i);
  }
}

template <typename T>
struct Select {
  T* to;
  const T* from;
  __device__ void operator()(int64_t k, int64_t i) const { to[k] = from[i]; }
};
template <typename T>
struct Scatter {
  T* to;
  const T* from;
  int64_t numel;  // of `from`
  __device__ void operator()(int64_t k, int64_t i) const {
    C10_DEVICE_ASSERT(k < numel);  // the source has as many elements as the mask selects
    to[i] = from[k];
  }
};
// The indices of a position, one row for each dimension.
constexpr int kMaxRank = 64;
struct Positions {
  int64_t* to;
  int64_t count;
  int rank;
  int64_t sizes[kMaxRank];
  __device__ void operator()(int64_t k, int64_t i) const {
    for (int d = rank - 1; d > 0; --d) {
      to[d * count + k] = i % sizes[d];
      i /= sizes[d];
    }
    to[k] = i;
  }
};

cudaStream_t stream_of(const Tensor& t) {
  return c10::cuda::getCurrentCUDAStream(t.device().index());
}

// What a dense mask selects, counted.
class Selection {
 public:
  explicit Selection(Tensor mask)
      : mask_(std::move(mask)),
        pieces_((mask_.numel() + kPiece - 1) / kPiece),
        begins_(empty_tensor({pieces_ + 1}, kLong, mask_.device())) {
    if (pieces_ > 0) run(count_kernel, begins());
    c10::cuda::launch(add_counts_kernel, {1, kThreads}, stream_of(mask_), begins(), pieces_);
  }
  // Waits for the device.
  int64_t total() const { return at::item(at::select(begins_, 0, pieces_)).to<int64_t>(); }
  template <typename Move>
  void move(const Move& move) const {
    if (pieces_ > 0) run(move_kernel<Move>, begins(), move);
  }

 private:
  int64_t* begins() const { return static_cast<int64_t*>(begins_.data_ptr()); }
  template <typename Kernel, typename... A>
  void run(Kernel kernel, const A&... arguments) const {
    const Mask mask{static_cast<const bool*>(mask_.data_ptr()), mask_.numel()};
    c10::cuda::launch(kernel, {static_cast<unsigned>(pieces_), kThreads}, stream_of(mask_), mask,
                      arguments...);
  }

  Tensor mask_;
  int64_t pieces_;
  Tensor begins_;
};

Tensor expanded(const Tensor& t, IntArrayRef sizes) {
  return at::contiguous(t.sizes() == sizes ? t : at::expand(t, sizes));
}

void check_device(const char* op, const Tensor& self, const Tensor& other, const char* name) {
  TORCH_CHECK(self.device() == other.device(), op, ": expected self and ", name,
              " to be on the same device, but they are on ", self.device(), " and ",
              other.device());
}

}  // namespace

static void masked_scatter_kernel(const Tensor& self_, const Tensor& mask, const Tensor& source) {
  Tensor self = self_;
  check_device("masked_scatter", self, mask, "mask");
  check_device("masked_scatter", self, source, "source");
  c10::OptionalDeviceGuard guard(self.device());
  const Selection selection(expanded(mask, self.sizes()));
  Tensor from = at::contiguous(source);
  Tensor to = self.is_contiguous() ? self : at::clone(self, MemoryFormat::Contiguous);
  gpu_dispatch_bits(self.itemsize(), [&]<typename T>(TypeTag<T>) {
    selection.move(Scatter<T>{static_cast<T*>(to.data_ptr()),
                              static_cast<const T*>(from.data_ptr()), from.numel()});
  });
  if (!to.is_same(self)) at::copy_(self, to);
}

Tensor masked_select_cuda(const Tensor& self, const Tensor& mask) {
  TORCH_CHECK(mask.scalar_type() == kBool, "masked_select: expected BoolTensor for mask, got ",
              dtypeName(mask.scalar_type()));
  check_device("masked_select", self, mask, "mask");
  c10::OptionalDeviceGuard guard(self.device());
  DimVector shape = infer_broadcast_sizes(self.sizes(), mask.sizes(), "masked_select");
  const Selection selection(expanded(mask, shape));
  Tensor from = expanded(self, shape);
  Tensor result = empty_tensor({selection.total()}, self.scalar_type(), self.device());
  gpu_dispatch_bits(self.itemsize(), [&]<typename T>(TypeTag<T>) {
    selection.move(
        Select<T>{static_cast<T*>(result.data_ptr()), static_cast<const T*>(from.data_ptr())});
  });
  return result;
}

// The stored result has one row per dimension; the caller sees the transpose.
Tensor nonzero_cuda(const Tensor& self) {
  c10::OptionalDeviceGuard guard(self.device());
  const Selection selection(at::contiguous(
      self.scalar_type() == kBool ? self : at::_to_copy(self, TensorOptions(kBool))));
  const int64_t n = selection.total(), rank = self.dim();
  TORCH_CHECK(rank <= kMaxRank, "nonzero: expected at most ", kMaxRank, " dimensions, got ", rank);
  Tensor rows = empty_tensor({rank, n}, kLong, self.device());
  if (rank > 0 && n > 0) {
    Positions positions{static_cast<int64_t*>(rows.data_ptr()), n, static_cast<int>(rank), {}};
    for (int64_t d = 0; d < rank; ++d) positions.sizes[d] = self.sizes()[static_cast<size_t>(d)];
    selection.move(positions);
  }
  rows.unsafeGetTensorImpl()->set_sizes_and_strides({n, rank}, {1, std::max<int64_t>(n, 1)});
  return rows;
}

REGISTER_CUDA_DISPATCH(masked_scatter_stub, &masked_scatter_kernel)

}  // namespace at::native
