// Interpolation along one dimension, from a table of taps.

#include <cstring>

#include <ATen/Parallel.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/upsample/upsample.h>

namespace at::native {
namespace {

template <typename T>
void copy_elements(const ResampleTable& t, const T* from, T* to, int64_t outer) {
  parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, t.out)),
               [&](int64_t begin, int64_t end) {
    const int64_t* index = t.index.data();
    for (int64_t o = begin; o < end; ++o) {
      const T* row = from + o * t.in;
      for (int64_t i = 0; i < t.out; ++i) to[o * t.out + i] = row[index[i]];
    }
  });
}

void copy_rows(const ResampleTable& t, const char* from, char* to, int64_t outer, int64_t bytes) {
  parallel_for(0, outer * t.out, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, bytes)),
               [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      std::memcpy(to + r * bytes, from + (r / t.out * t.in + t.index[r % t.out]) * bytes, bytes);
  });
}

template <typename T>
void interpolate(const ResampleTable& t, const std::vector<T>& weight, const T* from, T* to,
                 int64_t outer, int64_t inner) {
  int64_t taps = t.taps;
  parallel_for(0, outer * t.out, std::max<int64_t>(1, kGrainSize / 2 / std::max<int64_t>(1, inner)),
               [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* block = from + r / t.out * t.in * inner;
      const int64_t* index = t.index.data() + r % t.out * taps;
      const T* w = weight.data() + r % t.out * taps;
      T* row = to + r * inner;
      if (inner == 1) {
        T sum = 0;
        for (int64_t k = 0; k < taps; ++k) sum += w[k] * block[index[k]];
        *row = sum;
      } else if (taps == 2) {
        const T *a = block + index[0] * inner, *b = block + index[1] * inner;
        T wa = w[0], wb = w[1];
#pragma GCC ivdep
        for (int64_t i = 0; i < inner; ++i) row[i] = wa * a[i] + wb * b[i];
      } else {
        std::fill(row, row + inner, T(0));
        for (int64_t k = 0; k < taps; ++k) {
          const T* a = block + index[k] * inner;
          T wk = w[k];
          if (wk == T(0)) continue;
#pragma GCC ivdep
          for (int64_t i = 0; i < inner; ++i) row[i] += wk * a[i];
        }
      }
    }
  });
}

// Adds the gradients of one line to the elements that its taps read.
template <typename T>
void add_taps(const ResampleTable& t, const T* weight, const T* grad, T* result) {
  const int64_t* index = t.index.data();
  if (t.copies()) {
    for (int64_t i = 0; i < t.out; ++i) result[index[i]] += grad[i];
    return;
  }
  for (int64_t i = 0; i < t.out; ++i) {
    for (int64_t k = i * t.taps; k < (i + 1) * t.taps; ++k)
      if (weight[k] != T(0)) result[index[k]] += weight[k] * grad[i];
  }
}

}  // namespace

static void resample_kernel(const ResampleTable& t, const Tensor& input, const Tensor& output,
                            int64_t outer, int64_t inner) {
  const ScalarType dtype = input.scalar_type();
  const void* from = input.data_ptr();
  void* to = output.data_ptr();
  size_t item = elementSize(dtype);
  t.fill();
  if (t.copies()) {
    if (inner > 1)
      return copy_rows(t, static_cast<const char*>(from), static_cast<char*>(to), outer,
                       inner * static_cast<int64_t>(item));
    switch (item) {
      case 1:
        return copy_elements(t, static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to),
                             outer);
      case 2:
        return copy_elements(t, static_cast<const uint16_t*>(from), static_cast<uint16_t*>(to),
                             outer);
      case 4:
        return copy_elements(t, static_cast<const uint32_t*>(from), static_cast<uint32_t*>(to),
                             outer);
      default:
        return copy_elements(t, static_cast<const uint64_t*>(from), static_cast<uint64_t*>(to),
                             outer);
    }
  }
  dispatch_types<FloatingTypes>(dtype, "upsample", [&]<typename T>(TypeTag<T>) {
    std::vector<T> weight(t.weight.begin(), t.weight.end());
    interpolate(t, weight, static_cast<const T*>(from), static_cast<T*>(to), outer, inner);
  });
}

static void resample_backward_kernel(const ResampleTable& t, const Tensor& grad,
                                     const Tensor& output, int64_t outer, int64_t inner) {
  t.fill();
  dispatch_types<FloatingTypes>(grad.scalar_type(), "upsample_backward",
                                [&]<typename T>(TypeTag<T>) {
    std::vector<T> weight(t.weight.begin(), t.weight.end());
    const T* g = static_cast<const T*>(grad.data_ptr());
    T* result = static_cast<T*>(output.data_ptr());
    parallel_for(0, outer, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(1, t.out * inner)),
                 [&](int64_t begin, int64_t end) {
      if (inner == 1) {
        for (int64_t o = begin; o < end; ++o)
          add_taps(t, weight.data(), g + o * t.out, result + o * t.in);
        return;
      }
      for (int64_t r = begin * t.out; r < end * t.out; ++r) {
        T* block = result + r / t.out * t.in * inner;
        const T* row = g + r * inner;
        for (int64_t k = 0; k < t.taps; ++k) {
          T w = t.copies() ? T(1) : weight[r % t.out * t.taps + k];
          if (w == T(0)) continue;
          T* target = block + t.index[r % t.out * t.taps + k] * inner;
#pragma GCC ivdep
          for (int64_t i = 0; i < inner; ++i) target[i] += w * row[i];
        }
      }
    });
  });
}

REGISTER_DISPATCH(resample_stub, &resample_kernel)
REGISTER_DISPATCH(resample_backward_stub, &resample_backward_kernel)

}  // namespace at::native
