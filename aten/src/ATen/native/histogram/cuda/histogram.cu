// Histograms on CUDA devices.

#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/histogram/axis.h>
#include <ATen/native/histogram/histogram.h>
#include <ATen/ops/copy__native.h>
#include <ATen/ops/reshape.h>
#include <ATen/native/common/cuda/Cells.cuh>

namespace at::native {
namespace {

constexpr int kMaxAxes = 64;

template <typename T>
struct Cell {
  const T* points;
  int dims;
  HistogramAxis<T> axes[kMaxAxes];
  __device__ int64_t operator()(int64_t i) const {
    int64_t at = 0;
    for (int d = 0; d < dims; ++d) {
      const int64_t cell = axes[d].cell(points[i * dims + d]);
      if (cell < 0) return -1;
      at = at * axes[d].cells + cell;
    }
    return at;
  }
};

}  // namespace

static void histogram_cuda(const Tensor& points, TensorList edges, bool equal_widths,
                           const Tensor& weight, const Tensor& hist) {
  c10::OptionalDeviceGuard guard(hist.device());
  TORCH_CHECK(edges.size() <= kMaxAxes, "torch.histogramdd: expected at most ", kMaxAxes,
              " dimensions, got ", edges.size());
  dispatch_types<FloatingTypes>(points.scalar_type(), "histogramdd", [&]<typename T>(TypeTag<T>) {
    Cell<T> cell{static_cast<const T*>(points.data_ptr()), static_cast<int>(edges.size()), {}};
    for (size_t d = 0; d < edges.size(); ++d)
      cell.axes[d] = {static_cast<const T*>(edges[d].data_ptr()), edges[d].numel() - 1,
                      equal_widths};
    Tensor sums = sum_in_cells(cell, points.sizes()[0], hist.numel(), weight, hist.device());
    Tensor to = at::reshape(hist, {-1});
    copy_(to, sums, false);
  });
}

REGISTER_CUDA_DISPATCH(histogram_stub, &histogram_cuda)

}  // namespace at::native
