// segment_reduce: reductions of pieces that lie one after the other along an axis.

#include <ATen/native/scatter/segment_reduce.h>

#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/SameDevice.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/ops/_segment_reduce_backward_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/segment_reduce_native.h>
#include <ATen/ops/zeros.h>

#include <string_view>
#include <vector>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;

bool is_given(const OptionalTensor& t) { return t && t->defined(); }

SegmentKind segment_kind(std::string_view name) {
  if (name == "sum") return SegmentKind::sum;
  if (name == "mean") return SegmentKind::mean;
  if (name == "max" || name == "amax") return SegmentKind::max;
  if (name == "min" || name == "amin") return SegmentKind::min;
  TORCH_CHECK(name == "prod", "segment_reduce(): reduce must be sum, prod, mean, max or min, got ",
              name);
  return SegmentKind::prod;
}

struct Pieces {
  Segments segments;
  Tensor ends;
  DimVector sizes;  // of the result
};

Pieces pieces_of(SegmentKind kind, const std::optional<Scalar>& initial, const Tensor& data,
                 const OptionalTensor& lengths, const OptionalTensor& offsets, int64_t axis,
                 bool unsafe) {
  Segments s{kind, std::nullopt};
  if (initial) s.initial = initial->toDouble();
  std::vector<int64_t> ends;
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
    s.outer *= data.sizes()[k];
  }
  s.length = data.sizes()[static_cast<size_t>(axis)];
  for (int64_t d = axis + 1; d < data.dim(); ++d) s.inner *= data.sizes()[static_cast<size_t>(d)];
  // The ends are checked on the host, whatever the device.
  const std::vector<int64_t> numbers =
      int64_values(given.scalar_type() == kLong ? given : at::_to_copy(given, kLong));
  const int64_t* at = numbers.data();
  const int64_t row = given.sizes().back();
  TORCH_CHECK(!is_given(offsets) || row > 0, "segment_reduce(): offsets must not be empty");
  s.count = is_given(offsets) ? row - 1 : row;
  for (int64_t o = 0; o < s.outer; ++o, at += row) {
    int64_t end = is_given(offsets) ? at[0] : 0;
    TORCH_CHECK(end >= 0, "segment_reduce(): offsets contain a negative value, ", end);
    ends.push_back(end);
    for (int64_t k = 0; k < s.count; ++k) {
      const int64_t next = is_given(offsets) ? at[k + 1] : end + at[k];
      TORCH_CHECK(
          next >= end,
          "segment_reduce(): lengths contains negative value, or offsets decrease, at position ",
          k);
      TORCH_CHECK(next <= s.length, "segment_reduce(): pieces end at ", next,
                  ", after the end of data, ", s.length);
      ends.push_back(end = next);
    }
    TORCH_CHECK(unsafe || is_given(offsets) || end == s.length,
                "segment_reduce(): Expected lengths to sum to the size of data along axis, ",
                s.length, ", got ", end);
  }
  DimVector sizes(data.sizes());
  sizes[static_cast<size_t>(axis)] = s.count;
  return {s, int64_tensor(ends, data.device()), sizes};
}

void check_type(const Tensor& data) {
  dispatch_types<FloatingAndReduced>(data.scalar_type(), "_segment_reduce_cpu", [](auto) {});
}

}  // namespace

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const OptionalTensor& lengths,
                      const OptionalTensor& indices, const OptionalTensor& offsets, int64_t axis,
                      bool unsafe, const std::optional<Scalar>& initial) {
  const SegmentKind kind = segment_kind(reduce);
  TORCH_CHECK(!is_given(indices),
              "segment_reduce(): indices based reduction is not supported yet.");
  const Pieces pieces = pieces_of(kind, initial, data, lengths, offsets, axis, unsafe);
  check_type(data);
  Tensor result = empty_tensor(pieces.sizes, data.scalar_type(), data.device());
  if (result.numel() > 0)
    segment_reduce_stub(data.device().type(), pieces.segments, pieces.ends, at::contiguous(data),
                        result);
  return result;
}

Tensor _segment_reduce_backward(const Tensor& grad, const Tensor& output, const Tensor& data,
                                std::string_view reduce, const OptionalTensor& lengths,
                                const OptionalTensor& offsets, int64_t axis,
                                const std::optional<Scalar>& initial) {
  const SegmentKind kind = segment_kind(reduce);
  const Pieces pieces = pieces_of(kind, initial, data, lengths, offsets, axis, true);
  const IntArrayRef sizes(pieces.sizes);
  TORCH_CHECK(grad.sizes() == sizes && output.sizes() == sizes,
              "_segment_reduce_backward: expected grad and output of shape ", sizes, ", got ",
              grad.sizes(), " and ", output.sizes());
  TORCH_CHECK(
      grad.scalar_type() == data.scalar_type() && output.scalar_type() == data.scalar_type(),
      "_segment_reduce_backward: grad, output and data must have one type");
  check_same_device("_segment_reduce_backward", {&grad, &output, &data});
  check_type(data);
  Tensor result = at::zeros(data.sizes(), data.options());
  if (grad.numel() > 0)
    segment_reduce_backward_stub(data.device().type(), pieces.segments, pieces.ends,
                                 at::contiguous(grad), at::contiguous(output), at::contiguous(data),
                                 result);
  return result;
}

}  // namespace at::native
