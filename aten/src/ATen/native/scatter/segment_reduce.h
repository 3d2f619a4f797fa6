#pragma once
// Reductions of pieces that lie one after the other: what one piece gives, on every device.
//
// Data is seen as (outer, length, inner), the ends of the pieces as (outer, 1 + count): the begin
// of the first piece and the end of each.

#include <limits>
#include <optional>
#include <type_traits>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class SegmentKind : uint8_t { sum, mean, max, min, prod };

struct Segments {
  SegmentKind kind;
  std::optional<double> initial;
  int64_t outer = 1, length = 0, inner = 1, count = 0;
};

// ends: long; all tensors are contiguous and on one device.
DECLARE_DISPATCH(void (*)(const Segments& segments, const Tensor& ends, const Tensor& data,
                          const Tensor& result),
                 segment_reduce_stub);
// `result` is zero before.
DECLARE_DISPATCH(void (*)(const Segments& segments, const Tensor& ends, const Tensor& grad,
                          const Tensor& output, const Tensor& data, const Tensor& result),
                 segment_reduce_backward_stub);

// T: elements of the data; they are reduced in A.
template <typename T, typename A = std::conditional_t<std::is_same_v<T, double>, double, float>>
struct SegmentMath {
  SegmentKind kind;
  bool has_initial;
  A initial;
  int64_t length, inner, count;

  explicit SegmentMath(const Segments& s)
      : kind(s.kind),
        has_initial(s.initial.has_value()),
        initial(static_cast<A>(s.initial.value_or(0))),
        length(s.length),
        inner(s.inner),
        count(s.count) {}

  // Element j of piece p; the piece has the elements [begin, end).
  C10_HOST_DEVICE void reduce(int64_t p, int64_t j, int64_t begin, int64_t end, const T* from,
                              T* to) const {
    const T* x = from + p / count * length * inner + j;
    A total = first();
    for (int64_t i = begin; i < end; ++i) total = combine(total, static_cast<A>(x[i * inner]));
    // The mean of no elements is NaN, unless there is a value to begin with.
    if (kind == SegmentKind::mean) {
      if (end > begin) total /= static_cast<A>(end - begin);
      else if (!has_initial) total = std::numeric_limits<A>::quiet_NaN();
    }
    to[p * inner + j] = static_cast<T>(total);
  }

  C10_HOST_DEVICE void differentiate(int64_t p, int64_t j, int64_t begin, int64_t end,
                                     const T* grad, const T* reduced, const T* from, T* to) const {
    const A up = static_cast<A>(grad[p * inner + j]),
            value = static_cast<A>(reduced[p * inner + j]);
    const int64_t start = p / count * length * inner + j;
    auto x = [&](int64_t i) { return static_cast<A>(from[start + i * inner]); };
    auto is_value = [&](int64_t i) { return x(i) == value || x(i) != x(i); };
    const bool is_extreme = kind == SegmentKind::max || kind == SegmentKind::min;
    int64_t shares = 0;
    if (is_extreme)
      for (int64_t i = begin; i < end; ++i) shares += is_value(i);
    for (int64_t i = begin; i < end; ++i) {
      A one = up;
      if (kind == SegmentKind::mean) one = up / static_cast<A>(end - begin);
      if (is_extreme) one = is_value(i) ? up / static_cast<A>(shares) : A(0);
      if (kind == SegmentKind::prod) {
        if (x(i) != A(0)) {
          one = up * value / x(i);
        } else {
          A others = first();
          for (int64_t k = begin; k < end; ++k) others *= k == i ? A(1) : x(k);
          one = up * others;
        }
      }
      to[start + i * inner] = static_cast<T>(one);
    }
  }

 private:
  C10_HOST_DEVICE A first() const {
    if (has_initial) return initial;
    switch (kind) {
      case SegmentKind::prod:
        return A(1);
      case SegmentKind::max:
        return -std::numeric_limits<A>::infinity();
      case SegmentKind::min:
        return std::numeric_limits<A>::infinity();
      default:
        return A(0);
    }
  }
  C10_HOST_DEVICE A combine(A a, A b) const {
    switch (kind) {
      case SegmentKind::prod:
        return a * b;
      // NaN stays.
      case SegmentKind::max:
        return a != a ? a : (b != b || b > a ? b : a);
      case SegmentKind::min:
        return a != a ? a : (b != b || b < a ? b : a);
      default:
        return a + b;
    }
  }
};

}  // namespace at::native
