// searchsorted, bucketize, bincount, histc.

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/native/common/Convert.h>
#include <ATen/native/common/Reduce.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/bincount_native.h>
#include <ATen/ops/bucketize_native.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/histc_native.h>
#include <ATen/ops/item.h>
#include <ATen/ops/searchsorted_native.h>

namespace at::native {
namespace {

// The type in which boundaries and values are compared.
ScalarType search_type(const Tensor& a, const Tensor& b) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !a.is_complex() && !b.is_complex() && a.scalar_type() != kBool && b.scalar_type() != kBool,
      "\"searchsorted_out_cpu\" not implemented for '", toString(a.scalar_type()), "' and '",
      toString(b.scalar_type()), "'");
  if (!a.is_floating_point() && !b.is_floating_point()) return kLong;
  auto fits_float = [](const Tensor& t) {
    return t.is_floating_point() && t.scalar_type() != kDouble;
  };
  return fits_float(a) && fits_float(b) ? kFloat : kDouble;
}

Tensor dense_as(const Tensor& t, ScalarType type) {
  return at::contiguous(t.scalar_type() == type ? t : at::_to_copy(t, type));
}

// The first index whose boundary is not less than the value (or, with right, is greater). NaN sorts
// after everything: it is greater than all boundaries, and a NaN boundary is less than no value.
// Searches for several values at once in boundaries[0, n): each step halves the range without a
// branch that depends on a value, and the searches, which have equal length, overlap their memory
// latency.
template <typename T, bool kRight, int kTogether>
void lower_bounds(const T* boundaries, int64_t n, const T* values, int64_t* positions) {
  auto before = [](T b, T v) { return kRight ? !(b > v) : !(b >= v); };
  int64_t base[kTogether] = {};
  int64_t left = n;
  while (left > 1) {
    int64_t half = left / 2;
    for (int k = 0; k < kTogether; ++k)
      base[k] += before(boundaries[base[k] + half - 1], values[k]) ? half : 0;
    left -= half;
  }
  for (int k = 0; k < kTogether; ++k)
    positions[k] = base[k] + (left == 1 && before(boundaries[base[k]], values[k]));
}

template <typename T, bool kRight>
void search_line(const T* boundaries, int64_t n, const T* values, int64_t count,
                 int64_t* positions) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    lower_bounds<T, kRight, 8>(boundaries, n, values + i, positions + i);
  for (; i < count; ++i) lower_bounds<T, kRight, 1>(boundaries, n, values + i, positions + i);
}

// boundaries: [lines, n], or one line for all if lines == 1; values: [lines, each].
void search(const Tensor& boundaries, const Tensor& values, int64_t lines, bool right,
            const Tensor& out) {
  ScalarType type = search_type(boundaries, values);
  Tensor b = dense_as(boundaries, type), v = dense_as(values, type);
  int64_t n = b.dim() ? b.sizes().back() : 1, each = lines ? v.numel() / lines : 0;
  dispatch_types<TypeList<float, double, int64_t>>(type, "searchsorted_out_cpu",
                                                   [&]<typename T>(TypeTag<T>) {
    const T *bp = static_cast<const T*>(b.data_ptr()), *vp = static_cast<const T*>(v.data_ptr());
    const bool narrow = out.scalar_type() == kInt;
    parallel_for(0, v.numel(), 512, [&](int64_t begin, int64_t end) {
      constexpr int64_t kPiece = 256;
      int64_t found[kPiece];
      for (int64_t i = begin; i < end;) {
        int64_t line = lines > 1 ? i / each : 0;
        int64_t count = std::min({kPiece, end - i, lines > 1 ? (line + 1) * each - i : kPiece});
        int64_t* to = narrow ? found : static_cast<int64_t*>(out.data_ptr()) + i;
        right ? search_line<T, true>(bp + line * n, n, vp + i, count, to)
              : search_line<T, false>(bp + line * n, n, vp + i, count, to);
        if (narrow) std::copy(found, found + count, static_cast<int32_t*>(out.data_ptr()) + i);
        i += count;
      }
    });
  });
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
  const char* const op = "torch.searchsorted(): ";
  if (side) {
    TORCH_CHECK(*side == "left" || *side == "right", op,
                "side can only be 'left' or 'right' but got ", *side);
    TORCH_CHECK(!right || *side == "right", op,
                "side and right can't be set to opposites, got side of ", *side,
                " while right was True");
    right = *side == "right";
  }
  int64_t n = sorted_sequence.dim();
  bool one = n == 1;
  TORCH_CHECK(n > 0, op, "boundaries tensor should have positive dimension, but got 0 dimension");
  if (!one) {
    bool match = self.dim() == n;
    for (int64_t d = 0; match && d + 1 < n; ++d)
      match = self.sizes()[d] == sorted_sequence.sizes()[d];
    TORCH_CHECK(match, op,
                "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
                "tensor and input value tensor must match, but we got boundaries tensor ",
                sorted_sequence.sizes(), " and input value tensor ", self.sizes());
  }
  Tensor boundaries = sorted_sequence;
  if (sorter && sorter->defined()) {
    TORCH_CHECK(sorter->scalar_type() == kLong, op,
                "sorter must be a tensor of long dtype but got dtype ",
                toString(sorter->scalar_type()));
    TORCH_CHECK(sorter->sizes() == sorted_sequence.sizes(), op,
                "boundary and sorter must have the same size, but got boundary tensor ",
                sorted_sequence.sizes(), " and got sorter tensor ", sorter->sizes());
    if (sorter->numel()) {
      auto range = at::aminmax(*sorter);
      TORCH_CHECK(at::item(std::get<0>(range)).toLong() >= 0 &&
                      at::item(std::get<1>(range)).toLong() < sorter->sizes().back(),
                  op, "sorter index out of range");
    }
    boundaries = at::gather(sorted_sequence, -1, *sorter);
  }
  Tensor out = empty_tensor(self.sizes(), out_int32 ? kInt : kLong);
  int64_t lines = 1;
  if (!one) {
    for (int64_t d = 0; d + 1 < n; ++d) lines *= self.sizes()[d];
  }
  if (out.numel()) search(boundaries, self, lines, right, out);
  return out;
}

Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  TORCH_CHECK(boundaries.dim() == 1,
              "bucketize: boundaries tensor must be 1 dimension, but got dim(", boundaries.dim(),
              ")");
  return searchsorted(boundaries, self, out_int32, right, std::nullopt, std::nullopt);
}

Tensor bincount(const Tensor& self, const std::optional<Tensor>& weights, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "bincount: minlength should be >= 0, got ", minlength);
  TORCH_CHECK_NOT_IMPLEMENTED(isIntegralType(self.scalar_type()),
                              "\"bincount_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  bool weighted = weights && weights->defined();
  ScalarType type = !weighted ? kLong : weights->scalar_type() == kFloat ? kFloat : kDouble;
  if (self.dim() == 1 && self.numel() == 0) {
    Tensor none = empty_tensor({minlength}, kLong);
    fill_elements(none, 0);
    return none;
  }
  TORCH_CHECK(self.dim() == 1, "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(!weighted || (weights->dim() == 1 && weights->numel() == self.numel()),
              "bincount: weights should be 1-d and have the same length as input");
  Tensor x = at::contiguous(self), w = weighted ? dense_as(*weights, type) : Tensor();
  // Calls f(position, value), converting a piece at a time.
  auto each = [&x](const auto& f) {
    constexpr int64_t kPiece = 2048;
    const bool direct = x.scalar_type() == kLong;
    int64_t buffer[kPiece];
    for (int64_t at = 0; at < x.numel(); at += kPiece) {
      const int64_t n = std::min(kPiece, x.numel() - at);
      const char* from =
          static_cast<const char*>(x.data_ptr()) + at * static_cast<int64_t>(x.itemsize());
      if (!direct) convert_elements(x.scalar_type(), from, kLong, buffer, n);
      const int64_t* p = direct ? reinterpret_cast<const int64_t*>(from) : buffer;
      for (int64_t i = 0; i < n; ++i) f(at + i, p[i]);
    }
  };
  int64_t largest = 0, smallest = 0;
  each([&](int64_t, int64_t value) {
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
  });
  TORCH_CHECK(smallest >= 0, "bincount only supports 1-d non-negative integral inputs.");
  TORCH_CHECK(largest < INT64_MAX, "bincount: maximum value of input overflowed, it should be < ",
              INT64_MAX, " but got ", largest);
  Tensor out = empty_tensor({std::max(largest + 1, minlength)}, type);
  fill_elements(out, 0);
  dispatch_types<TypeList<int64_t, float, double>>(type, "bincount_cpu",
                                                   [&]<typename T>(TypeTag<T>) {
    T* o = static_cast<T*>(out.data_ptr());
    const T* v = weighted ? static_cast<const T*>(w.data_ptr()) : nullptr;
    each([&](int64_t i, int64_t value) { o[value] += v ? v[i] : T(1); });
  });
  return out;
}

Tensor histc(const Tensor& self, int64_t bins, const Scalar& min, const Scalar& max) {
  TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "\"histogram_cpu\" not implemented for '",
                              toString(self.scalar_type()), "'");
  TORCH_CHECK(bins > 0, "torch.histogram(): bins must be > 0, but got ", bins, " for dimension 0");
  double low = min.toDouble(), high = max.toDouble();
  Tensor x = dense_as(self, self.scalar_type() == kDouble ? kDouble : kFloat);
  if (low == high && x.numel() > 0) {
    auto range = at::aminmax(x);
    low = at::item(std::get<0>(range)).toDouble();
    high = at::item(std::get<1>(range)).toDouble();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "torch.histc: range of [", low, ", ", high,
              "] is not finite");
  TORCH_CHECK(low < high, "torch.histc: max must be larger than min, got min ", low, " and max ",
              high);
  Tensor out = empty_tensor({bins}, x.scalar_type());
  fill_elements(out, 0);
  dispatch_types<FloatingTypes>(x.scalar_type(), "histogram_cpu", [&]<typename T>(TypeTag<T>) {
    const T* p = static_cast<const T*>(x.data_ptr());
    T* o = static_cast<T*>(out.data_ptr());
    const T first = static_cast<T>(low), last = static_cast<T>(high),
            scale = static_cast<T>(bins) / (last - first);
    for (int64_t i = 0; i < x.numel(); ++i) {
      if (!(p[i] >= first && p[i] <= last)) continue;
      int64_t b = static_cast<int64_t>((p[i] - first) * scale);
      o[b < bins ? b : bins - 1] += T(1);
    }
  });
  return out.scalar_type() == self.scalar_type() ? out : at::_to_copy(out, self.scalar_type());
}

}  // namespace at::native
