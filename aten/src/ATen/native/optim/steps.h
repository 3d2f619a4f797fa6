#pragma once
// A step of each optimizer for one element, in the type O: shared by the CPU and CUDA kernels. The
// elements change in place.

#include <cmath>

#include <ATen/native/optim/optim.h>
#include <c10/macros/Macros.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename O>
struct SgdElement {
  O lr, mu, keep, decay, sign;
  bool first, nesterov;

  explicit SgdElement(const SgdStep& s)
      : lr(static_cast<O>(s.lr)),
        mu(static_cast<O>(s.momentum)),
        keep(static_cast<O>(1 - s.dampening)),
        decay(static_cast<O>(s.weight_decay)),
        sign(s.maximize ? O(-1) : O(1)),
        first(s.first),
        nesterov(s.nesterov) {}
  C10_HOST_DEVICE void operator()(O& w, O g) const { w = w - lr * (sign * g + decay * w); }
  C10_HOST_DEVICE void operator()(O& w, O g, O& momentum) const {
    const O d = sign * g + decay * w;
    const O m = first ? d : mu * momentum + keep * d;
    momentum = m;
    w = w - lr * (nesterov ? d + mu * m : m);
  }
};

template <typename O>
struct AdagradElement {
  O rate, decay, eps, sign;

  explicit AdagradElement(const AdagradStep& s)
      : rate(static_cast<O>(s.rate)),
        decay(static_cast<O>(s.weight_decay)),
        eps(static_cast<O>(s.eps)),
        sign(s.maximize ? O(-1) : O(1)) {}
  C10_HOST_DEVICE void operator()(O& w, O g, O& sum) const {
    const O d = sign * g + decay * w;
    sum = sum + d * d;
    w = w - rate * d / (std::sqrt(sum) + eps);
  }
};

// What depends on the number of the step.
template <typename O>
struct AdamRate {
  O size, root;
};
template <typename O>
C10_HOST_DEVICE AdamRate<O> adam_rate(const AdamStep& s, double step) {
  return {static_cast<O>(s.lr / (1 - std::pow(s.beta1, step))),
          static_cast<O>(std::sqrt(1 - std::pow(s.beta2, step)))};
}

template <typename O>
struct AdamElement {
  O w1, b2, w2, eps, shrink, decay, sign;

  explicit AdamElement(const AdamStep& s)
      : w1(static_cast<O>(1 - s.beta1)),
        b2(static_cast<O>(s.beta2)),
        w2(static_cast<O>(1 - s.beta2)),
        eps(static_cast<O>(s.eps)),
        shrink(shrink_of(s)),
        decay(s.decoupled ? O(0) : static_cast<O>(s.weight_decay)),
        sign(s.maximize ? O(-1) : O(1)) {}
  C10_HOST_DEVICE static O shrink_of(const AdamStep& s) {
    return s.decoupled ? static_cast<O>(1 - s.lr * s.weight_decay) : O(1);
  }
  // `largest` is null unless the step is that of amsgrad.
  C10_HOST_DEVICE void operator()(const AdamRate<O>& rate, O& p, O g, O& mean, O& square,
                                  O* largest) const {
    const O w = p * shrink;
    const O d = sign * g + decay * w;
    mean = mean + w1 * (d - mean);
    square = square * b2 + w2 * d * d;
    O v = square;
    if (largest) {
      v = *largest > v ? *largest : v;
      *largest = v;
    }
    p = w - rate.size * mean / (std::sqrt(v) / rate.root + eps);
  }
};

}  // namespace CPU_CAPABILITY
}  // namespace at::native
