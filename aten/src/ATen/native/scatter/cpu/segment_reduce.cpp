// Reductions of pieces that lie one after the other, and their gradients.

#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/scatter/segment_reduce.h>

namespace at::native {
namespace {

// f(piece, j, begin, end) for every element of the result, in parallel.
template <typename F>
void for_each(const Segments& s, const Tensor& ends, const F& f) {
  const int64_t* end_of = static_cast<const int64_t*>(ends.data_ptr());
  const int64_t pieces = s.outer * s.count;
  const int64_t work = pieces > 0 ? s.outer * s.length * s.inner / pieces + 1 : 1;
  parallel_for(0, pieces, std::max<int64_t>(1, kGrainSize / work), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t at = p / s.count * (s.count + 1) + p % s.count;
      for (int64_t j = 0; j < s.inner; ++j) f(p, j, end_of[at], end_of[at + 1]);
    }
  });
}

template <typename T>
T* data_of(const Tensor& t) {
  return static_cast<T*>(t.data_ptr());
}

}  // namespace

static void segment_reduce_kernel(const Segments& segments, const Tensor& ends, const Tensor& data,
                                  const Tensor& result) {
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cpu",
                                     [&]<typename T>(TypeTag<T>) {
    const SegmentMath<T> math(segments);
    const T* from = data_of<T>(data);
    T* to = data_of<T>(result);
    for_each(segments, ends, [&](int64_t p, int64_t j, int64_t begin, int64_t end) {
      math.reduce(p, j, begin, end, from, to);
    });
  });
}

static void segment_reduce_backward_kernel(const Segments& segments, const Tensor& ends,
                                           const Tensor& grad, const Tensor& output,
                                           const Tensor& data, const Tensor& result) {
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cpu",
                                     [&]<typename T>(TypeTag<T>) {
    const SegmentMath<T> math(segments);
    const T *g = data_of<T>(grad), *reduced = data_of<T>(output), *from = data_of<T>(data);
    T* to = data_of<T>(result);
    for_each(segments, ends, [&](int64_t p, int64_t j, int64_t begin, int64_t end) {
      math.differentiate(p, j, begin, end, g, reduced, from, to);
    });
  });
}

REGISTER_ALL_CPU_DISPATCH(segment_reduce_stub, &segment_reduce_kernel)
REGISTER_ALL_CPU_DISPATCH(segment_reduce_backward_stub, &segment_reduce_backward_kernel)

}  // namespace at::native
