// segment_reduce: reductions of pieces that lie one after the other along an axis.
//
// Data is seen as (outer, length, inner), the ends of the pieces as (outer, pieces).

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/_segment_reduce_backward_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/segment_reduce_native.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;
enum class Segment : uint8_t { sum, mean, max, min, prod };

bool is_given(const OptionalTensor& t) { return t && t->defined(); }

Segment segment_kind(std::string_view name) {
  if (name == "sum") return Segment::sum;
  if (name == "mean") return Segment::mean;
  if (name == "max" || name == "amax") return Segment::max;
  if (name == "min" || name == "amin") return Segment::min;
  TORCH_CHECK(name == "prod", "segment_reduce(): reduce must be sum, prod, mean, max or min, got ",
              name);
  return Segment::prod;
}

struct Segments {
  Segments(const Tensor& data, const OptionalTensor& lengths, const OptionalTensor& offsets,
           int64_t axis, bool unsafe) {
    TORCH_CHECK(is_given(lengths) || is_given(offsets),
                "segment_reduce(): Either lengths or offsets must be defined.");
    const Tensor& given = is_given(offsets) ? *offsets : *lengths;
    TORCH_CHECK(data.dim() > 0 && given.dim() > 0,
                "segment_reduce(): data and lengths need a dimension");
    TORCH_CHECK(isIntegralType(given.scalar_type(), false),
                "segment_reduce(): lengths and offsets must be integers, got ",
                toString(given.scalar_type()));
    axis = maybe_wrap_dim(axis, data.dim(), "segment_reduce");
    TORCH_CHECK(axis == given.dim() - 1,
                "segment_reduce(): Expected axis to be the last dimension of lengths, ",
                given.dim() - 1, ", but got ", axis);
    for (int64_t d = 0; d < axis; ++d) {
      const auto k = static_cast<size_t>(d);
      TORCH_CHECK(given.sizes()[k] == data.sizes()[k], "segment_reduce(): lengths have shape ",
                  given.sizes(), ", data has shape ", data.sizes());
      outer *= data.sizes()[k];
    }
    length = data.sizes()[static_cast<size_t>(axis)];
    for (int64_t d = axis + 1; d < data.dim(); ++d) inner *= data.sizes()[static_cast<size_t>(d)];
    Tensor numbers =
        at::contiguous(given.scalar_type() == kLong ? given : at::_to_copy(given, kLong));
    const int64_t* at = static_cast<const int64_t*>(numbers.data_ptr());
    const int64_t row = given.sizes().back();
    TORCH_CHECK(!is_given(offsets) || row > 0, "segment_reduce(): offsets must not be empty");
    count = is_given(offsets) ? row - 1 : row;
    for (int64_t o = 0; o < outer; ++o, at += row) {
      int64_t end = is_given(offsets) ? at[0] : 0;
      TORCH_CHECK(end >= 0, "segment_reduce(): offsets contain a negative value, ", end);
      ends.push_back(end);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t next = is_given(offsets) ? at[k + 1] : end + at[k];
        TORCH_CHECK(
            next >= end,
            "segment_reduce(): lengths contains negative value, or offsets decrease, at position ",
            k);
        TORCH_CHECK(next <= length, "segment_reduce(): pieces end at ", next,
                    ", after the end of data, ", length);
        ends.push_back(end = next);
      }
      TORCH_CHECK(unsafe || is_given(offsets) || end == length,
                  "segment_reduce(): Expected lengths to sum to the size of data along axis, ",
                  length, ", got ", end);
    }
    sizes = DimVector(data.sizes());
    sizes[static_cast<size_t>(axis)] = count;
  }
  // f(outer, piece, begin, end) for every piece, in parallel.
  template <typename F>
  void for_each(const F& f) const {
    const int64_t pieces = outer * count;
    const int64_t work = pieces > 0 ? outer * length * inner / pieces + 1 : 1;
    parallel_for(0, pieces, std::max<int64_t>(1, kGrainSize / work),
                 [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t o = p / count, k = p % count;
        const auto at = static_cast<size_t>(o * (count + 1) + k);
        f(o, p, ends[at], ends[at + 1]);
      }
    });
  }

  int64_t outer = 1, length = 0, inner = 1, count = 0;
  std::vector<int64_t> ends;  // for each row, the begin of the first piece and the end of each
  DimVector sizes;
};

template <typename A>
A first_value(Segment kind, const std::optional<Scalar>& initial) {
  if (initial) return static_cast<A>(initial->toDouble());
  switch (kind) {
    case Segment::prod:
      return A(1);
    case Segment::max:
      return -std::numeric_limits<A>::infinity();
    case Segment::min:
      return std::numeric_limits<A>::infinity();
    default:
      return A(0);
  }
}

template <typename A>
A combine(Segment kind, A a, A b) {
  switch (kind) {
    case Segment::prod:
      return a * b;
    // NaN stays.
    case Segment::max:
      return a != a ? a : (b != b || b > a ? b : a);
    case Segment::min:
      return a != a ? a : (b != b || b < a ? b : a);
    default:
      return a + b;
  }
}

template <typename T>
using WideType = std::conditional_t<std::is_same_v<T, double>, double, float>;

}  // namespace

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const OptionalTensor& lengths,
                      const OptionalTensor& indices, const OptionalTensor& offsets, int64_t axis,
                      bool unsafe, const std::optional<Scalar>& initial) {
  const Segment kind = segment_kind(reduce);
  TORCH_CHECK(!is_given(indices),
              "segment_reduce(): indices based reduction is not supported yet.");
  const Segments segments(data, lengths, offsets, axis, unsafe);
  Tensor in = at::contiguous(data), result = empty_tensor(segments.sizes, data.scalar_type());
  const int64_t inner = segments.inner;
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cpu",
                                     [&]<typename T>(TypeTag<T>) {
    using A = WideType<T>;
    const T* from = static_cast<const T*>(in.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    const A first = first_value<A>(kind, initial);
    segments.for_each([&](int64_t o, int64_t p, int64_t begin, int64_t end) {
      for (int64_t j = 0; j < inner; ++j) {
        A total = first;
        for (int64_t i = begin; i < end; ++i)
          total = combine(kind, total, static_cast<A>(from[(o * segments.length + i) * inner + j]));
        // The mean of no elements is NaN, unless there is a value to begin with.
        if (kind == Segment::mean) {
          if (end > begin) total /= static_cast<A>(end - begin);
          else if (!initial) total = std::numeric_limits<A>::quiet_NaN();
        }
        to[p * inner + j] = static_cast<T>(total);
      }
    });
  });
  return result;
}

Tensor _segment_reduce_backward(const Tensor& grad, const Tensor& output, const Tensor& data,
                                std::string_view reduce, const OptionalTensor& lengths,
                                const OptionalTensor& offsets, int64_t axis,
                                const std::optional<Scalar>& initial) {
  const Segment kind = segment_kind(reduce);
  const Segments segments(data, lengths, offsets, axis, true);
  TORCH_CHECK(
      grad.sizes() == IntArrayRef(segments.sizes) && output.sizes() == IntArrayRef(segments.sizes),
      "_segment_reduce_backward: expected grad and output of shape ", IntArrayRef(segments.sizes),
      ", got ", grad.sizes(), " and ", output.sizes());
  TORCH_CHECK(
      grad.scalar_type() == data.scalar_type() && output.scalar_type() == data.scalar_type(),
      "_segment_reduce_backward: grad, output and data must have one type");
  Tensor g = at::contiguous(grad), out = at::contiguous(output), in = at::contiguous(data);
  Tensor result = empty_tensor(data.sizes(), data.scalar_type());
  const int64_t inner = segments.inner;
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cpu",
                                     [&]<typename T>(TypeTag<T>) {
    using A = WideType<T>;
    const T *slope = static_cast<const T*>(g.data_ptr()),
            *reduced = static_cast<const T*>(out.data_ptr()),
            *from = static_cast<const T*>(in.data_ptr());
    T* to = static_cast<T*>(result.data_ptr());
    std::fill_n(to, result.numel(), T(0));
    segments.for_each([&](int64_t o, int64_t p, int64_t begin, int64_t end) {
      for (int64_t j = 0; j < inner; ++j) {
        const A up = static_cast<A>(slope[p * inner + j]),
                value = static_cast<A>(reduced[p * inner + j]);
        auto at = [&](int64_t i) { return (o * segments.length + i) * inner + j; };
        auto x = [&](int64_t i) { return static_cast<A>(from[at(i)]); };
        auto is_value = [&](int64_t i) { return x(i) == value || x(i) != x(i); };
        int64_t shares = 0;
        if (kind == Segment::max || kind == Segment::min) {
          for (int64_t i = begin; i < end; ++i) shares += is_value(i);
        }
        for (int64_t i = begin; i < end; ++i) {
          A one = up;
          if (kind == Segment::mean) one = up / static_cast<A>(end - begin);
          if (kind == Segment::max || kind == Segment::min)
            one = is_value(i) ? up / static_cast<A>(shares) : A(0);
          if (kind == Segment::prod) {
            if (x(i) != A(0)) {
              one = up * value / x(i);
            } else {
              A others = first_value<A>(kind, initial);
              for (int64_t k = begin; k < end; ++k) others *= k == i ? A(1) : x(k);
              one = up * others;
            }
          }
          to[at(i)] = static_cast<T>(one);
        }
      }
    });
  });
  return result;
}

}  // namespace at::native
