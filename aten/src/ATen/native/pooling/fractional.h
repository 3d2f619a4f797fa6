#pragma once
// Where the windows of fractional max pooling begin.

#include <algorithm>
#include <cstdint>

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

// The windows of one dimension. The steps are as PyTorch computes them: in the type of the samples,
// and the last window ends at the edge.
template <typename T>
struct FractionalWindows {
  T sample, alpha;
  int64_t first, output, last;

  C10_HOST_DEVICE FractionalWindows(T random, int64_t input, int64_t outputs, int64_t pool)
      : sample(random), alpha(0.0f), first(0), output(outputs), last(input - pool) {
    if (outputs == 1) return;
    alpha = static_cast<T>(static_cast<T>(static_cast<float>(last)) /
                           static_cast<T>(static_cast<float>(outputs - 1)));
    first = static_cast<int64_t>(static_cast<T>(sample * alpha));
  }
  C10_HOST_DEVICE int64_t start(int64_t i) const {
    if (i == output - 1) return last;
    const T at =
        static_cast<T>(static_cast<T>(static_cast<T>(static_cast<float>(i)) + sample) * alpha);
    // Samples outside of [0, 1] must not lead outside of the input.
    return std::clamp<int64_t>(static_cast<int64_t>(at) - first, 0, last);
  }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
