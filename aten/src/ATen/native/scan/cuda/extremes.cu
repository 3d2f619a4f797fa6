// cummax and cummin on CUDA devices: the running value with its index. NaN stays once encountered;
// of equal values the latest counts.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/scan/cuda/extremes.h>
#include <ATen/native/scan/cuda/scan.cuh>

namespace at::native {
namespace {

template <typename T>
struct Candidate {
  T value;
  int64_t index;
};

template <typename Type, bool max>
struct Extreme {
  using T = Type;
  using M = Candidate<T>;
  const T* in;
  T* out;
  int64_t* indices;
  __device__ M load(int64_t at, int64_t k) const { return {in[at], k}; }
  __device__ M join(M a, M b) const {
    const bool takes = b.value != b.value ||
                       (a.value == a.value && (max ? b.value >= a.value : b.value <= a.value));
    return takes ? b : a;
  }
  __device__ void store(int64_t at, M best) const {
    out[at] = best.value;
    indices[at] = best.index;
  }
};

}  // namespace

void scan_extremes_cuda(bool max, const Tensor& in, const Tensor& out, const Tensor& indices,
                        int64_t dim) {
  const Dense3 shape = dense_shape(in, dim);
  const ScalarType dtype = in.scalar_type() == kBool ? kByte : in.scalar_type();
  dispatch_types<FloatingTypes, IntegralTypes>(dtype, max ? "cummax_cuda" : "cummin_cuda",
                                               [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.data_ptr());
    T* to = static_cast<T*>(out.data_ptr());
    auto* index = static_cast<int64_t*>(indices.data_ptr());
    if (max) scans::run<Candidate<T>>(Extreme<T, true>{from, to, index}, shape, in.device());
    else scans::run<Candidate<T>>(Extreme<T, false>{from, to, index}, shape, in.device());
  });
}

}  // namespace at::native
