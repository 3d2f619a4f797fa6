// Recurrent layers by cuDNN: the forward and the backward pass over all layers, directions and
// steps.
//
// Data always goes there without padding, step by step: a batch of sequences of one length is that
// too.

#include <algorithm>
#include <climits>

#include <ATen/Context.h>
#include <ATen/native/common/HostValues.h>
#include <ATen/native/common/OutputChecks.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/rnn/cuda/rnn_weights.h>
#include <ATen/ops/_cudnn_rnn_backward_native.h>
#include <ATen/ops/_cudnn_rnn_native.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

namespace at::native {
namespace {

namespace cudnn = cuda::cudnn;

const cudnn::RnnFunctions& functions() { return *cudnn::rnn_functions(); }

void* address(const Tensor& t) { return t.defined() && t.numel() > 0 ? t.data_ptr() : nullptr; }

// Tensors as cuDNN takes them, and the sizes.
struct Layers {
  const char* op;
  RnnShape shape;
  RnnWeightLayout layout;
  bool is_packed, batch_first;
  ScalarType dtype;
  Tensor x, hx, cx;          // dense, by steps
  std::vector<int> lengths;  // of the sequences, longest first

  int64_t numbers() const { return shape.layers * shape.directions(); }
  int64_t batch() const { return static_cast<int64_t>(lengths.size()); }
  bool is_lstm() const { return shape.cell == CudnnCell::lstm; }
  Tensor by_steps(const Tensor& t) const {
    return at::contiguous(batch_first && !is_packed ? at::transpose(t, 0, 1) : t);
  }
  Tensor as_given(const Tensor& t) const {
    return batch_first && !is_packed ? at::transpose(t, 0, 1) : t;
  }
  std::vector<int64_t> output_sizes() const {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = shape.output() * shape.directions();
    return sizes;
  }
};

std::vector<int> lengths_of(const char* op, const Tensor& x, IntArrayRef batch_sizes) {
  if (batch_sizes.empty())
    return std::vector<int>(static_cast<size_t>(x.sizes()[1]), static_cast<int>(x.sizes()[0]));
  std::vector<int> lengths(static_cast<size_t>(std::max<int64_t>(0, batch_sizes[0])), 0);
  int64_t rows = 0, last = batch_sizes[0];
  for (int64_t size : batch_sizes) {
    TORCH_CHECK(size > 0 && size <= last, op, ": batch_sizes must be positive and not rise, got ",
                batch_sizes);
    for (int64_t b = 0; b < size; ++b) ++lengths[b];
    rows += size;
    last = size;
  }
  TORCH_CHECK(rows == x.sizes()[0], op, ": batch_sizes sum to ", rows, ", the data has ",
              x.sizes()[0], " rows");
  return lengths;
}

Layers layers_of(const char* op, const Tensor& input, TensorList weight, int64_t weight_stride0,
                 const Tensor& hx, const std::optional<Tensor>& cx, int64_t mode,
                 int64_t hidden_size, int64_t proj_size, int64_t num_layers, bool batch_first,
                 bool bidirectional, IntArrayRef batch_sizes) {
  const bool is_packed = !batch_sizes.empty();
  TORCH_CHECK(input.dim() == (is_packed ? 2 : 3), op, ": expected an input of ",
              is_packed ? "2 dimensions, since it is packed" : "3 dimensions", ", got ",
              input.sizes());
  TORCH_CHECK(input.numel() > 0 && input.numel() <= INT_MAX, op,
              ": cuDNN takes 1 to 2**31 - 1 elements of input, got ", input.sizes());
  Layers l{op,
           checked_rnn_shape(op, mode, input.sizes().back(), hidden_size, proj_size, num_layers,
                             bidirectional, weight_stride0, weight),
           {},
           is_packed,
           batch_first,
           input.scalar_type(),
           {},
           {},
           {},
           {}};
  l.layout = checked_rnn_layout(op, l.shape, l.dtype);
  l.x = l.by_steps(input);
  l.lengths = lengths_of(op, l.x, batch_sizes);
  const Tensor& given_cx = value_or_undefined(cx);
  TORCH_CHECK(given_cx.defined() == l.is_lstm(), op, ": cx is for an LSTM, which needs it");
  auto dense = [&](const Tensor& t, int64_t width, const char* name) {
    const int64_t sizes[] = {l.numbers(), l.batch(), width};
    TORCH_CHECK(t.sizes() == IntArrayRef(sizes), op, ": expected ", name, " of sizes ",
                IntArrayRef(sizes), ", got ", t.sizes());
    return at::contiguous(t);
  };
  l.hx = dense(hx, l.shape.output(), "hx");
  if (l.is_lstm()) l.cx = dense(given_cx, hidden_size, "cx");
  for (const Tensor* t : {&hx, &given_cx, &weight[0]})
    TORCH_CHECK(!t->defined() || (t->scalar_type() == l.dtype && t->device() == input.device()), op,
                ": input, states and weights must have one type and device, got ",
                toString(l.dtype), " on ", input.device(), " and ", toString(t->scalar_type()),
                " on ", t->device());
  return l;
}

// Descriptors of a call, and its memory.
struct Descriptors {
  RnnDescriptor rnn;
  RnnDataDescriptor x, y;
  RnnStateDescriptor h, c;
  bool has_c;
  size_t workspace_size = 0, reserve_size = 0;
  c10::DataPtr workspace;

  Descriptors(const Layers& l, double dropout, const Tensor& states, bool train)
      : rnn(l.shape, l.dtype, dropout, states),
        x(l.dtype, l.lengths, l.shape.input),
        y(l.dtype, l.lengths, l.shape.output() * l.shape.directions()),
        h(l.dtype, l.numbers(), l.batch(), l.shape.output()),
        c(l.dtype, l.numbers(), l.batch(), l.shape.hidden),
        has_c(l.is_lstm()) {
    cudnn::check(rnn.status(), "cudnnSetRNNDescriptor_v8");
    cudnn::check(functions().temporary_sizes(cudnn::handle(), rnn.get(),
                                             train ? cudnn::kTraining : cudnn::kInference, x.get(),
                                             &workspace_size, &reserve_size),
                 "cudnnGetRNNTempSpaceSizes");
    if (workspace_size > 0)
      workspace = c10::cuda::CUDACachingAllocator::get()->allocate(workspace_size);
  }
  cudnn::Descriptor c_or_null() const { return has_c ? c.get() : nullptr; }
};

Tensor bytes(size_t count, const Tensor& like) {
  return at::empty({static_cast<int64_t>(count)}, like.options().dtype(kByte));
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> _cudnn_rnn(
    const Tensor& input, TensorList weight, int64_t weight_stride0,
    const std::optional<Tensor>& weight_buf, const Tensor& hx, const std::optional<Tensor>& cx,
    int64_t mode, int64_t hidden_size, int64_t proj_size, int64_t num_layers, bool batch_first,
    double dropout, bool train, bool bidirectional, IntArrayRef batch_sizes,
    const std::optional<Tensor>& dropout_state) {
  const c10::OptionalDeviceGuard guard(input.device());
  const Layers l = layers_of("_cudnn_rnn", input, weight, weight_stride0, hx, cx, mode, hidden_size,
                             proj_size, num_layers, batch_first, bidirectional, batch_sizes);
  TORCH_CHECK(dropout >= 0 && dropout <= 1, "_cudnn_rnn: dropout must be in [0, 1], got ", dropout);
  const Tensor& states = value_or_undefined(dropout_state);
  TORCH_CHECK(
      !train || dropout == 0 || num_layers == 1 ||
          (states.defined() && states.scalar_type() == kByte && states.is_cuda()),
      "_cudnn_rnn: dropout in training needs dropout_state, which _cudnn_init_dropout_state "
      "makes");
  Tensor buffer = value_or_undefined(weight_buf);
  // A result is no view of an argument: without a copy it is empty.
  bool is_result = buffer.defined();
  if (!is_result) buffer = joined_rnn_weights(weight, l.shape, l.layout, &is_result);
  TORCH_CHECK(buffer.is_contiguous() && buffer.numel() == l.layout.numbers &&
                  buffer.scalar_type() == l.dtype && buffer.device() == input.device(),
              "_cudnn_rnn: expected weight_buf of ", l.layout.numbers, " elements of type ",
              toString(l.dtype), ", got ", toString(buffer.scalar_type()), " of shape ",
              buffer.sizes());
  const Descriptors d(l, train ? dropout : 0, states, train);
  const Tensor y = at::empty(l.output_sizes(), input.options());
  const Tensor hy = at::empty(l.hx.sizes(), input.options());
  const Tensor cy =
      l.is_lstm() ? at::empty(l.cx.sizes(), input.options()) : at::empty({0}, input.options());
  const Tensor reserve = bytes(train ? d.reserve_size : 0, input);
  cudnn::check(functions().forward(
                   cudnn::handle(), d.rnn.get(), train ? cudnn::kTraining : cudnn::kInference,
                   nullptr, d.x.get(), l.x.data_ptr(), d.y.get(), y.data_ptr(), d.h.get(),
                   l.hx.data_ptr(), hy.data_ptr(), d.c_or_null(), address(l.cx), address(cy),
                   l.layout.bytes, buffer.data_ptr(), d.workspace_size, d.workspace.get(),
                   static_cast<size_t>(reserve.numel()), address(reserve)),
               "cudnnRNNForward");
  return {l.as_given(y), hy, cy, reserve, is_result ? buffer : at::empty({0}, input.options())};
}

std::tuple<Tensor, Tensor, Tensor, std::vector<Tensor>> _cudnn_rnn_backward(
    const Tensor& input, TensorList weight, int64_t weight_stride0, const Tensor& weight_buf,
    const Tensor& hx, const std::optional<Tensor>& cx, const Tensor& output,
    const std::optional<Tensor>& grad_output, const std::optional<Tensor>& grad_hy,
    const std::optional<Tensor>& grad_cy, int64_t mode, int64_t hidden_size, int64_t proj_size,
    int64_t num_layers, bool batch_first, double dropout, bool train, bool bidirectional,
    IntArrayRef batch_sizes, const std::optional<Tensor>& dropout_state, const Tensor& reserve,
    std::array<bool, 4> output_mask) {
  const Tensor &of_output = value_or_undefined(grad_output), &of_hy = value_or_undefined(grad_hy),
               &of_cy = value_or_undefined(grad_cy);
  if (!of_output.defined() && !of_hy.defined() && !of_cy.defined())
    return {Tensor(), Tensor(), Tensor(), std::vector<Tensor>(weight.size())};
  TORCH_CHECK(train, "_cudnn_rnn_backward: the forward pass must have been one of training");
  const c10::OptionalDeviceGuard guard(input.device());
  const Layers l =
      layers_of("_cudnn_rnn_backward", input, weight, weight_stride0, hx, cx, mode, hidden_size,
                proj_size, num_layers, batch_first, bidirectional, batch_sizes);
  const Descriptors d(l, dropout, value_or_undefined(dropout_state), true);
  bool is_copy = false;
  const Tensor buffer = weight_buf.defined() && weight_buf.numel() > 0
                            ? weight_buf
                            : joined_rnn_weights(weight, l.shape, l.layout, &is_copy);
  TORCH_CHECK(buffer.numel() == l.layout.numbers && buffer.scalar_type() == l.dtype &&
                  buffer.is_contiguous() && buffer.device() == input.device(),
              "_cudnn_rnn_backward: weight_buf must be that of the forward pass");
  TORCH_CHECK(static_cast<size_t>(reserve.numel()) == d.reserve_size &&
                  reserve.scalar_type() == kByte && reserve.device() == input.device(),
              "_cudnn_rnn_backward: reserve must be that of the forward pass, of ", d.reserve_size,
              " bytes, got ", reserve.numel());
  const Tensor y = l.by_steps(output);
  TORCH_CHECK(y.sizes() == IntArrayRef(l.output_sizes()), "_cudnn_rnn_backward: expected ",
              IntArrayRef(l.output_sizes()), " as the sizes of output by steps, got ", y.sizes());
  // A gradient that is missing is zero; cuDNN wants that of the output all the same.
  auto gradient = [&](const Tensor& t, const Tensor& like) {
    TORCH_CHECK(!t.defined() || (t.sizes() == like.sizes() && t.scalar_type() == l.dtype),
                "_cudnn_rnn_backward: expected a gradient of sizes ", like.sizes(), ", got ",
                t.defined() ? t.sizes() : IntArrayRef());
    return t.defined() ? at::contiguous(t) : Tensor();
  };
  const Tensor dy = of_output.defined() ? gradient(l.by_steps(of_output), y) : at::zeros_like(y);
  const Tensor dhy = gradient(of_hy, l.hx), dcy = l.is_lstm() ? gradient(of_cy, l.cx) : Tensor();
  const Tensor dx = at::empty(l.x.sizes(), input.options()),
               dhx = at::empty(l.hx.sizes(), input.options());
  const Tensor dcx = l.is_lstm() ? at::empty(l.cx.sizes(), input.options()) : Tensor();
  // cuDNN writes to what the forward pass kept, and there may be another backward pass.
  const Tensor kept = at::clone(reserve);
  cudnn::check(functions().backward_data(cudnn::handle(), d.rnn.get(), nullptr, d.y.get(),
                                         y.data_ptr(), dy.data_ptr(), d.x.get(), dx.data_ptr(),
                                         d.h.get(), l.hx.data_ptr(), address(dhy), dhx.data_ptr(),
                                         d.c_or_null(), address(l.cx), address(dcy), address(dcx),
                                         l.layout.bytes, buffer.data_ptr(), d.workspace_size,
                                         d.workspace.get(), d.reserve_size, kept.data_ptr()),
               "cudnnRNNBackwardData_v8");
  std::vector<Tensor> dweights(weight.size());
  if (output_mask[3]) {
    const Tensor sums = at::zeros({l.layout.numbers}, input.options());
    cudnn::check(functions().backward_weights(cudnn::handle(), d.rnn.get(), cudnn::kAddGradients,
                                              nullptr, d.x.get(), l.x.data_ptr(), d.h.get(),
                                              l.hx.data_ptr(), d.y.get(), y.data_ptr(),
                                              l.layout.bytes, sums.data_ptr(), d.workspace_size,
                                              d.workspace.get(), d.reserve_size, kept.data_ptr()),
                 "cudnnRNNBackwardWeights_v8");
    dweights = split_rnn_weights(sums, l.shape, l.layout);
  }
  return {output_mask[0] ? l.as_given(dx) : Tensor(), output_mask[1] ? dhx : Tensor(),
          output_mask[2] ? dcx : Tensor(), std::move(dweights)};
}

namespace {

bool has_cudnn() { return cudnn::rnn_functions() != nullptr; }

bool takes_cudnn_rnn(const Tensor& like, const RnnShape& shape) {
  if (!globalContext().cudnn().enabled || !has_cudnn() || like.numel() > INT_MAX) return false;
  const c10::OptionalDeviceGuard guard(like.device());
  return rnn_weight_layout(shape, like.scalar_type()).is_supported;
}

}  // namespace

REGISTER_CUDA_DISPATCH(has_cudnn_stub, &has_cudnn)
REGISTER_CUDA_DISPATCH(takes_cudnn_rnn_stub, &takes_cudnn_rnn)

}  // namespace at::native
