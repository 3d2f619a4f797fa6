// Sequences of different lengths: padded into one tensor, or packed, with the first steps of all
// sequences before their second steps.

#include <ATen/native/common/Derivatives.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/_pack_padded_sequence_native.h>
#include <ATen/ops/_pad_packed_sequence_native.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/copy__ops.h>
#include <ATen/ops/expand.h>
#include <ATen/ops/flatten.h>
#include <ATen/ops/full.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/new_full.h>
#include <ATen/ops/pad_sequence_native.h>
#include <ATen/ops/select.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/to.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/unflatten.h>

namespace at::native {
std::tuple<Tensor, Tensor> _pack_padded_sequence(const Tensor& input, const Tensor& lengths,
                                                 bool batch_first) {
  TORCH_CHECK(lengths.dim() == 1 && lengths.scalar_type() == kLong && lengths.is_cpu(),
              "'lengths' argument should be a 1D CPU int64 tensor, but got ", lengths.dim(), "D ",
              lengths.device(), " ", toString(lengths.scalar_type()), " tensor");
  maybe_wrap_dim(1, input.dim());
  TORCH_CHECK(input.numel() > 0, "Cannot pack empty tensors.");
  int64_t steps = input.sizes()[batch_first ? 1 : 0], batch = input.sizes()[batch_first ? 0 : 1];
  TORCH_CHECK(lengths.sizes()[0] == batch,
              "Expected `len(lengths)` to be equal to batch_size, but got ", lengths.sizes()[0],
              " (batch_size=", batch, ")");
  const std::vector<int64_t> length = int64_values(lengths);
  int64_t total = 0;
  for (int64_t b = 0; b < batch; ++b) {
    TORCH_CHECK(length[b] > 0,
                "Length of all samples has to be greater than 0, but found an element in 'lengths' "
                "that is <= 0");
    TORCH_CHECK(b == 0 || length[b] <= length[b - 1],
                "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
                "You can pass `enforce_sorted=False` to have the sequences sorted.");
    TORCH_CHECK(length[b] <= steps, "_pack_padded_sequence: a length of ", length[b],
                " exceeds the ", steps, " steps of the input");
    total += length[b];
  }
  std::vector<int64_t> sizes(length[0]), rows;
  rows.reserve(total);
  int64_t active = batch;
  for (int64_t t = 0; t < length[0]; ++t) {
    while (length[active - 1] <= t) --active;
    sizes[t] = active;
    for (int64_t b = 0; b < active; ++b)
      rows.push_back(batch_first ? b * steps + t : t * batch + b);
  }
  Tensor picked = at::index_select(at::flatten(input, 0, 1), 0, int64_tensor(rows, input.device()));
  return {picked, int64_tensor(sizes)};
}

std::tuple<Tensor, Tensor> _pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                                bool batch_first, const Scalar& padding_value,
                                                int64_t total_length) {
  TORCH_CHECK(batch_sizes.dim() == 1 && batch_sizes.scalar_type() == kLong && batch_sizes.is_cpu(),
              "_pad_packed_sequence: batch_sizes should be a 1D CPU int64 tensor, but got ",
              batch_sizes.dim(), "D ", batch_sizes.device(), " ",
              toString(batch_sizes.scalar_type()), " tensor");
  int64_t longest = batch_sizes.sizes()[0];
  TORCH_CHECK(longest > 0, "batch_sizes can not be empty");
  TORCH_CHECK(data.dim() > 0, "_pad_packed_sequence: the data must have at least one dimension");
  TORCH_CHECK(total_length <= 0 || total_length >= longest,
              "Expected total_length to be at least the length of the longest sequence in input, "
              "but got total_length=",
              total_length, " and max sequence length being ", longest);
  int64_t steps = total_length > 0 ? total_length : longest;
  const std::vector<int64_t> size = int64_values(batch_sizes);
  int64_t total = 0;
  for (int64_t t = 0; t < longest; ++t) {
    TORCH_CHECK(size[t] > 0 && (t == 0 || size[t] <= size[t - 1]),
                "_pad_packed_sequence: batch_sizes must be positive and not rise, got ", size[t],
                " at ", t);
    TORCH_CHECK(size[t] <= data.sizes()[0] - total,
                "_pad_packed_sequence: batch_sizes sum to more than the ", data.sizes()[0],
                " rows of the data");
    total += size[t];
  }
  TORCH_CHECK(total == data.sizes()[0], "_pad_packed_sequence: batch_sizes sum to ", total,
              ", the data has ", data.sizes()[0], " rows");
  int64_t batch = size[0], rows_all;
  TORCH_CHECK(!__builtin_mul_overflow(steps, batch, &rows_all),
              "_pad_packed_sequence: total_length is too large: ", total_length);
  std::vector<int64_t> rows, lengths(batch);
  rows.reserve(total);
  for (int64_t t = 0; t < longest; ++t) {
    for (int64_t b = 0; b < size[t]; ++b) {
      rows.push_back(t * batch + b);
      lengths[b] = t + 1;
    }
  }
  DimVector shape(data.sizes());
  shape[0] = rows_all;
  Tensor padded = at::index_copy(at::new_full(data, shape, padding_value), 0,
                                 int64_tensor(rows, data.device()), data);
  padded = at::unflatten(padded, 0, {steps, batch});
  return {batch_first ? at::transpose(padded, 0, 1) : padded, int64_tensor(lengths)};
}

Tensor pad_sequence(TensorList sequences, bool batch_first, double padding_value,
                    std::string_view padding_side) {
  TORCH_CHECK(!sequences.empty(), "received an empty list of sequences");
  TORCH_CHECK(padding_side == "left" || padding_side == "right",
              "Expected padding_side to be one of left or right, but got ", padding_side, ".");
  int64_t longest = 0;
  for (const Tensor& s : sequences) {
    TORCH_CHECK(s.dim() > 0,
                "pad_sequence: sequences must have at least one dimension, got a 0-d tensor");
    longest = std::max(longest, s.sizes()[0]);
  }
  // The first sequence determines the type and the sizes of a step.
  const Tensor& like = sequences[0];
  const int64_t count = static_cast<int64_t>(sequences.size());
  std::vector<Tensor> padded;
  bool in_place = true;
  for (const Tensor& s : sequences) {
    DimVector shape(like.sizes());
    shape[0] = s.sizes()[0];
    in_place &= !may_need_derivative(s);
    padded.push_back(s.sizes() == IntArrayRef(shape) ? s : at::expand(s, shape));
  }
  const bool left = padding_side == "left";
  // Each element is written once, or twice if it is padding.
  if (in_place) {
    DimVector shape(like.sizes());
    shape[0] = batch_first ? count : longest;
    shape.insert(shape.begin() + 1, batch_first ? longest : count);
    const Tensor out = at::full(shape, padding_value, like.options());
    for (int64_t k = 0; k < count; ++k) {
      const int64_t length = padded[k].sizes()[0];
      const Tensor all = at::select(out, batch_first ? 0 : 1, k);
      Tensor to = at::narrow(all, 0, left ? longest - length : 0, length);
      at::_ops::copy_::call(to, padded[k], false);
    }
    return out;
  }
  for (Tensor& x : padded) {
    if (x.scalar_type() != like.scalar_type()) x = at::to(x, like.scalar_type());
    DimVector pad(2 * like.dim(), 0);
    pad[2 * (like.dim() - 1) + (left ? 0 : 1)] = longest - x.sizes()[0];
    x = at::constant_pad_nd(x, pad, padding_value);
  }
  return at::stack(padded, batch_first ? 0 : 1);
}

}  // namespace at::native
