// grid_sample: samples an image at arbitrary coordinates, and its derivatives.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/DenseOperand.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/grid_sampler/grid_sampler.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/grid_sampler_2d_backward_native.h>
#include <ATen/ops/grid_sampler_2d_native.h>
#include <ATen/ops/grid_sampler_3d_backward_native.h>
#include <ATen/ops/grid_sampler_3d_native.h>
#include <ATen/ops/zeros.h>

namespace at::native {
namespace {

// A coordinate and its derivative with respect to the grid's value.
template <typename T>
struct Coordinate {
  T at, slope;
};

template <typename T>
Coordinate<T> unnormalize(T x, int64_t size, bool align_corners) {
  T s = static_cast<T>(size);
  return align_corners ? Coordinate<T>{(x + 1) / 2 * (s - 1), (s - 1) / 2}
                       : Coordinate<T>{((x + 1) * s - 1) / 2, s / 2};
}

template <typename T>
Coordinate<T> clip(Coordinate<T> p, int64_t size) {
  T max = static_cast<T>(size - 1);
  if (!(p.at > 0)) return {0, 0};
  return p.at >= max ? Coordinate<T>{max, 0} : p;
}

template <typename T>
Coordinate<T> reflect(Coordinate<T> p, T twice_low, T twice_high) {
  if (twice_low == twice_high) return {0, 0};
  T low = twice_low / 2, span = (twice_high - twice_low) / 2, x = p.at - low, slope = p.slope;
  if (x < 0) {
    x = -x;
    slope = -slope;
  }
  T extra = std::fmod(x, span);
  bool odd = static_cast<int64_t>(std::floor(x / span)) % 2 != 0;
  return odd ? Coordinate<T>{span - extra + low, -slope} : Coordinate<T>{extra + low, slope};
}

template <typename T>
Coordinate<T> source_coordinate(T x, int64_t size, int64_t padding, bool align_corners) {
  Coordinate<T> p = unnormalize(x, size, align_corners);
  if (padding == kBorder) {
    p = clip(p, size);
  } else if (padding == kReflection) {
    p = align_corners ? reflect(p, T(0), static_cast<T>(2 * (size - 1)))
                      : reflect(p, T(-1), static_cast<T>(2 * size - 1));
    p = clip(p, size);
  }
  // A coordinate that no integer can represent is outside in any case.
  if (!(p.at > T(-1e9) && p.at < T(1e9))) p = {T(-100), 0};
  return p;
}

// The elements that contribute to one sample along one dimension: at most four, with weights and
// their derivatives.
template <typename T>
struct Taps {
  int n = 0;
  int64_t index[4];  // -1: outside
  T weight[4], slope[4];
};

template <typename T>
Taps<T> taps_for(T x, int64_t size, int64_t mode, int64_t padding, bool align_corners) {
  Taps<T> t;
  auto inside = [size](int64_t i) { return i >= 0 && i < size ? i : -1; };
  if (mode == kBicubic) {
    Coordinate<T> p = unnormalize(x, size, align_corners);
    if (!(p.at > T(-1e9) && p.at < T(1e9))) p = {T(-100), 0};
    T first = std::floor(p.at), f = p.at - first;
    constexpr T a = T(-0.75);
    auto near = [](T v) { return ((a + 2) * v - (a + 3)) * v * v + 1; };
    auto far = [](T v) { return ((a * v - 5 * a) * v + 8 * a) * v - 4 * a; };
    auto near_slope = [](T v) { return (3 * (a + 2) * v - 2 * (a + 3)) * v; };
    auto far_slope = [](T v) { return (3 * a * v - 10 * a) * v + 8 * a; };
    t.n = 4;
    T w[] = {far(f + 1), near(f), near(1 - f), far(2 - f)};
    T s[] = {far_slope(f + 1), near_slope(f), -near_slope(1 - f), -far_slope(2 - f)};
    for (int k = 0; k < 4; ++k) {
      // Padding applies to the elements here, not to the coordinate.
      Coordinate<T> e{first - 1 + static_cast<T>(k), 1};
      if (padding == kBorder) e = clip(e, size);
      if (padding == kReflection)
        e = clip(align_corners ? reflect(e, T(0), static_cast<T>(2 * (size - 1)))
                               : reflect(e, T(-1), static_cast<T>(2 * size - 1)),
                 size);
      t.index[k] = inside(static_cast<int64_t>(e.at));
      t.weight[k] = w[k];
      t.slope[k] = s[k] * p.slope;
    }
    return t;
  }
  Coordinate<T> p = source_coordinate(x, size, padding, align_corners);
  if (mode == kNearest) {
    t.n = 1;
    t.index[0] = inside(static_cast<int64_t>(std::nearbyint(p.at)));
    t.weight[0] = 1;
    t.slope[0] = 0;
    return t;
  }
  T first = std::floor(p.at), f = p.at - first;
  t.n = 2;
  t.index[0] = inside(static_cast<int64_t>(first));
  t.index[1] = inside(static_cast<int64_t>(first) + 1);
  t.weight[0] = 1 - f;
  t.weight[1] = f;
  t.slope[0] = -p.slope;
  t.slope[1] = p.slope;
  return t;
}

// The taps of the three dimensions for one sample; the grid's last number belongs to the first
// dimension.
template <typename T>
void all_taps(const GridShape& s, const T* coordinates, int64_t mode, int64_t padding, bool align,
              Taps<T> (&t)[3]) {
  for (int d = 0; d < 3; ++d) {
    if (d < 3 - s.n) {
      t[d].n = 1;
      t[d].index[0] = 0;
      t[d].weight[0] = 1;
      t[d].slope[0] = 0;
    } else {
      t[d] = taps_for(coordinates[2 - d], s.in[d], mode, padding, align);
    }
  }
}

// f(element of the plane, its weight, the derivatives of the weight with respect to each
// coordinate)
template <typename T, typename F>
void each_tap(const GridShape& s, const Taps<T> (&t)[3], const F& f) {
  for (int a = 0; a < t[0].n; ++a) {
    for (int b = 0; b < t[1].n; ++b) {
      for (int c = 0; c < t[2].n; ++c) {
        if (t[0].index[a] < 0 || t[1].index[b] < 0 || t[2].index[c] < 0) continue;
        T slopes[3] = {t[0].slope[a] * t[1].weight[b] * t[2].weight[c],
                       t[0].weight[a] * t[1].slope[b] * t[2].weight[c],
                       t[0].weight[a] * t[1].weight[b] * t[2].slope[c]};
        f((t[0].index[a] * s.in[1] + t[1].index[b]) * s.in[2] + t[2].index[c],
          t[0].weight[a] * t[1].weight[b] * t[2].weight[c], slopes);
      }
    }
  }
}

bool is_reduced(const Tensor& t) {
  return t.scalar_type() == kHalf || t.scalar_type() == kBFloat16;
}

void sample(const Tensor& input, const Tensor& grid, int64_t n, int64_t mode, int64_t padding,
            bool align, const Tensor& result_) {
  if (is_reduced(input)) {
    Tensor wide = empty_tensor(result_.sizes(), kFloat), narrow = result_;
    sample(at::_to_copy(input, TensorOptions(kFloat)), at::_to_copy(grid, TensorOptions(kFloat)), n,
           mode, padding, align, wide);
    at::native::copy_(narrow, wide, false);
    return;
  }
  const GridShape s = check_grid(input, grid, n, mode, padding);
  DenseResult dense(result_, result_.scalar_type());
  const Tensor& out = dense.tensor();
  Tensor x = at::contiguous(input), coordinates = at::contiguous(grid);
  dispatch_types<FloatingTypes>(input.scalar_type(), "grid_sampler", [&]<typename T>(TypeTag<T>) {
    const T *from = static_cast<const T*>(x.data_ptr()),
            *at = static_cast<const T*>(coordinates.data_ptr());
    T* to = static_cast<T*>(out.data_ptr());
    int64_t plane = s.in_numel(), length = s.out_numel();
    parallel_for(0, s.batch * length, std::max<int64_t>(1, 2048 / std::max<int64_t>(1, s.channels)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        Taps<T> t[3];
        all_taps(s, at + k * n, mode, padding, align, t);
        const T* image = from + k / length * s.channels * plane;
        T* result = to + k / length * s.channels * length + k % length;
        for (int64_t c = 0; c < s.channels; ++c) result[c * length] = 0;
        each_tap(s, t, [&](int64_t element, T weight, const T*) {
          for (int64_t c = 0; c < s.channels; ++c)
            result[c * length] += weight * image[c * plane + element];
        });
      }
    });
  });
  dense.finish();
}

std::tuple<Tensor, Tensor> sample_backward(const Tensor& grad, const Tensor& input,
                                           const Tensor& grid, int64_t n, int64_t mode,
                                           int64_t padding, bool align, std::array<bool, 2> mask) {
  GridShape s = check_grid(input, grid, n, mode, padding);
  if (is_reduced(input)) {
    TensorOptions wide(kFloat), narrow(input.scalar_type());
    auto [gi, gg] = sample_backward(at::_to_copy(grad, wide), at::_to_copy(input, wide),
                                    at::_to_copy(grid, wide), n, mode, padding, align, mask);
    return {gi.defined() ? at::_to_copy(gi, narrow) : gi, at::_to_copy(gg, narrow)};
  }
  TORCH_CHECK(grad.numel() == s.batch * s.channels * s.out_numel(),
              "grid_sampler_backward: gradient of sizes ", grad.sizes(), " does not fit");
  Tensor grad_input = mask[0] ? at::zeros(input.sizes(), input.options()) : Tensor();
  Tensor grad_grid = at::zeros(grid.sizes(), grid.options());
  Tensor x = at::contiguous(input), coordinates = at::contiguous(grid), g = at::contiguous(grad);
  dispatch_types<FloatingTypes>(input.scalar_type(), "grid_sampler_backward",
                                [&]<typename T>(TypeTag<T>) {
    const T *from = static_cast<const T*>(x.data_ptr()),
            *at = static_cast<const T*>(coordinates.data_ptr()),
            *gp = static_cast<const T*>(g.data_ptr());
    T* to = mask[0] ? static_cast<T*>(grad_input.data_ptr()) : nullptr;
    T* to_grid = static_cast<T*>(grad_grid.data_ptr());
    int64_t plane = s.in_numel(), length = s.out_numel();
    parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin * length; k < end * length; ++k) {
        Taps<T> t[3];
        all_taps(s, at + k * n, mode, padding, align, t);
        int64_t image = k / length * s.channels * plane;
        const T* gr = gp + k / length * s.channels * length + k % length;
        each_tap(s, t, [&](int64_t element, T weight, const T* slopes) {
          T dot = 0;
          for (int64_t c = 0; c < s.channels; ++c) {
            if (to) to[image + c * plane + element] += weight * gr[c * length];
            dot += gr[c * length] * from[image + c * plane + element];
          }
          for (int64_t d = 3 - n; d < 3; ++d) to_grid[k * n + 2 - d] += dot * slopes[d];
        });
      }
    });
  });
  return {grad_input, grad_grid};
}

}  // namespace

template <int64_t n>
static void grid_sampler_forward_kernel(const Tensor& input, const Tensor& grid, int64_t mode,
                                        int64_t padding, bool align_corners, const Tensor& out) {
  sample(input, grid, n, mode, padding, align_corners, out);
}

template <int64_t n>
static std::tuple<Tensor, Tensor> grid_sampler_backward_kernel(const Tensor& grad_output,
                                                               const Tensor& input,
                                                               const Tensor& grid, int64_t mode,
                                                               int64_t padding, bool align_corners,
                                                               std::array<bool, 2> output_mask) {
  return sample_backward(grad_output, input, grid, n, mode, padding, align_corners, output_mask);
}

REGISTER_DISPATCH(grid_sampler_2d_stub, &grid_sampler_forward_kernel<2>)
REGISTER_DISPATCH(grid_sampler_3d_stub, &grid_sampler_forward_kernel<3>)
REGISTER_DISPATCH(grid_sampler_2d_backward_stub, &grid_sampler_backward_kernel<2>)
REGISTER_DISPATCH(grid_sampler_3d_backward_stub, &grid_sampler_backward_kernel<3>)

}  // namespace at::native
