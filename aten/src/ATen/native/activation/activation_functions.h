#pragma once
// Activations made of comparisons and products, and derivatives of others, of one element: shared
// by the CPU and CUDA kernels. Gradients take the incoming gradient first.

#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace activation {

template <typename T>
struct Relu {
  C10_HOST_DEVICE T operator()(T x) const { return x < T(0) ? T(0) : x; }
};

template <typename T>
struct Threshold {
  T threshold, value;
  C10_HOST_DEVICE T operator()(T x) const { return x <= threshold ? value : x; }
};
template <typename T>
struct ThresholdBackward {
  T threshold;
  C10_HOST_DEVICE T operator()(T g, T x) const { return x <= threshold ? T(0) : g; }
};

template <typename T>
struct Hardtanh {
  T low, high;
  C10_HOST_DEVICE T operator()(T x) const { return x < low ? low : x > high ? high : x; }
};
template <typename T>
struct HardtanhBackward {
  T low, high;
  C10_HOST_DEVICE T operator()(T g, T x) const { return (x <= low) | (x >= high) ? T(0) : g; }
};

template <typename T>
struct LeakyRelu {
  T slope;
  C10_HOST_DEVICE T operator()(T x) const { return x > 0 ? x : x * slope; }
};
template <typename T>
struct LeakyReluBackward {
  T slope;
  C10_HOST_DEVICE T operator()(T g, T x) const { return x > 0 ? g : g * slope; }
};

// x + 3, cut to [0, 6].
template <typename T>
C10_HOST_DEVICE T from_0_to_6(T x) {
  const T y = x + T(3);
  return y < T(0) ? T(0) : y > T(6) ? T(6) : y;
}
template <typename T>
struct Hardswish {
  C10_HOST_DEVICE T operator()(T x) const { return x * from_0_to_6(x) / T(6); }
};
template <typename T>
struct HardswishBackward {
  C10_HOST_DEVICE T operator()(T g, T x) const {
    return x <= T(-3) ? T(0) : x >= T(3) ? g : g * (x / T(3) + T(0.5));
  }
};
template <typename T>
struct Hardsigmoid {
  C10_HOST_DEVICE T operator()(T x) const { return from_0_to_6(x) / T(6); }
};
template <typename T>
struct HardsigmoidBackward {
  C10_HOST_DEVICE T operator()(T g, T x) const {
    return (x > T(-3)) & (x < T(3)) ? g * T(1.0 / 6) : T(0);
  }
};

template <typename T>
struct Hardshrink {
  T lambd;
  C10_HOST_DEVICE T operator()(T x) const { return (x >= -lambd) & (x <= lambd) ? T(0) : x; }
};
// Also of softshrink: both pass the gradient outside of [-lambd, lambd].
template <typename T>
struct HardshrinkBackward {
  T lambd;
  C10_HOST_DEVICE T operator()(T g, T x) const { return (x >= -lambd) & (x <= lambd) ? T(0) : g; }
};
template <typename T>
struct Softshrink {
  T lambd;
  // x * 0 rather than 0, so that NaN stays NaN.
  C10_HOST_DEVICE T operator()(T x) const {
    return x > lambd ? x - lambd : x < -lambd ? x + lambd : x * T(0);
  }
};

template <typename T>
struct Prelu {
  C10_HOST_DEVICE T operator()(T x, T weight) const { return x > 0 ? x : x * weight; }
};

template <typename T>
struct LogitBackward {
  T low, high, outside;
  // x + 0 makes -0 positive, as the slope has no sign.
  C10_HOST_DEVICE T operator()(T g, T x) const {
    return (x < low) | (x > high) ? outside : g / ((x + T(0)) * (T(1) - x));
  }
};

}  // namespace activation
}  // namespace CPU_CAPABILITY
}  // namespace at::native
