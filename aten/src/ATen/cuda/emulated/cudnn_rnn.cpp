// Recurrent layers of cuDNN for the emulated device: the same arguments, memory and error codes,
// computed on the CPU when the stream comes to it.

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

#include <ATen/cuda/CudnnRnnApi.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include "CudnnState.h"
#include "RecurrentNet.h"

namespace at::cuda::cudnn {
namespace {

using c10::ScalarType;
using namespace emulated;

// Memory that a GPU would need; nothing is kept in it.
constexpr size_t kWorkspace = 1024;
// Wider states are refused, so that tests see what happens then.
constexpr int32_t kMaxHidden = 512;

// In device memory: numbers of dropout follow from both.
struct DropoutStates {
  uint64_t seed, draws;
};
struct DropoutState {
  float probability = 0;
  DropoutStates* states = nullptr;
};
struct RnnState {
  NetShape shape;
  ScalarType dtype = ScalarType::Float;
  DropoutState dropout;
};
struct DataState {
  ScalarType dtype = ScalarType::Float;
  int64_t features = 0;
  std::vector<int> lengths;
};

Status enqueue(Handle handle, const char* name, std::function<void()> work) {
  const auto error = torch_emulated_cuda::enqueue(static_cast<HandleState*>(handle)->stream,
                                                  std::move(work), name);
  return error == cudaSuccess ? kSuccess : kFailed;
}

// --- dropout -------------------------------------------------------------------------------------

Status dropout_states_size(Handle, size_t* bytes) {
  *bytes = sizeof(DropoutStates);
  return kSuccess;
}
Status restore_dropout(Descriptor descriptor, Handle, float probability, void* states, size_t bytes,
                       unsigned long long) {
  if (probability < 0 || probability > 1 || (states && bytes < sizeof(DropoutStates)))
    return kBadParameter;
  *static_cast<DropoutState*>(descriptor) = {probability, static_cast<DropoutStates*>(states)};
  return kSuccess;
}
Status set_dropout(Descriptor descriptor, Handle handle, float probability, void* states,
                   size_t bytes, unsigned long long seed) {
  const Status status = restore_dropout(descriptor, handle, probability, states, bytes, seed);
  if (status != kSuccess || !states) return status;
  return enqueue(handle, "cudnnSetDropoutDescriptor",
                 [=] { *static_cast<DropoutStates*>(states) = {seed, 0}; });
}

// Uniform in [0, 1): the mixing function of SplitMix64 (Steele, Lea, Flood 2014).
double uniform(const DropoutStates& states, uint64_t index) {
  uint64_t z = states.seed + (states.draws + index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// --- descriptors ---------------------------------------------------------------------------------

Status set_rnn(Descriptor descriptor, int algorithm, int cell_mode, int bias_mode,
               int direction_mode, int input_mode, int data_type, int compute_type, int,
               int32_t input, int32_t hidden, int32_t projection, int32_t layers,
               Descriptor dropout, uint32_t flags) {
  auto& r = *static_cast<RnnState*>(descriptor);
  ScalarType sums;
  if (!type_of(data_type, r.dtype) || !type_of(compute_type, sums) || cell_mode < kRnnRelu ||
      cell_mode > kGru || input <= 0 || hidden <= 0 || projection <= 0 || projection > hidden ||
      (projection < hidden && cell_mode != kLstm) || layers <= 0 || !dropout)
    return kBadParameter;
  if (hidden > kMaxHidden || algorithm != kStandardAlgorithm || input_mode != kLinearInput ||
      flags != kNoPaddedData || (bias_mode != kNoBias && bias_mode != kDoubleBias) ||
      (sums == ScalarType::Double) != (r.dtype == ScalarType::Double))
    return kUnsupported;
  r.shape = {cell_mode,
             bias_mode == kDoubleBias,
             direction_mode == kBidirectional,
             input,
             hidden,
             projection < hidden ? projection : 0,
             layers};
  r.dropout = *static_cast<DropoutState*>(dropout);
  return kSuccess;
}

Status set_data(Descriptor descriptor, int data_type, int layout, int steps, int batch,
                int features, const int* lengths, void*) {
  auto& d = *static_cast<DataState*>(descriptor);
  if (!type_of(data_type, d.dtype) || steps <= 0 || batch <= 0 || features <= 0)
    return kBadParameter;
  if (layout != kPackedLayout) return kUnsupported;
  for (int b = 0; b < batch; ++b)
    if (lengths[b] <= 0 || lengths[b] > (b == 0 ? steps : lengths[b - 1])) return kBadParameter;
  d.features = features;
  d.lengths.assign(lengths, lengths + batch);
  return kSuccess;
}

size_t size_of(ScalarType dtype) {
  return dtype == ScalarType::Double ? 8 : dtype == ScalarType::Float ? 4 : 2;
}

// --- memory that is kept for the backward pass ---------------------------------------------------

// Numbers in double: what was done, the input, the masks of dropout, and the gradients of the
// weights, which backward_data computes too.
constexpr double kForwardDone = 1, kBackwardDone = 2;
struct Reserve {
  double* at;
  int64_t inputs, masks, weights;

  Reserve(void* memory, const RnnState& r, const Batch& batch)
      : at(static_cast<double*>(memory)),
        inputs(batch.rows() * r.shape.input),
        masks((r.shape.layers - 1) * batch.rows() * r.shape.directions() * r.shape.output()),
        weights(r.shape.weights()) {}
  size_t bytes() const {
    return static_cast<size_t>(1 + inputs + masks + weights) * sizeof(double);
  }
  double& done() const { return at[0]; }
  double* input() const { return at + 1; }
  double* mask() const { return input() + inputs; }
  double* gradient() const { return mask() + masks; }
};

Status temporary_sizes(Handle, Descriptor rnn, int forward_mode, Descriptor x, size_t* workspace,
                       size_t* reserve) {
  *workspace = kWorkspace;
  *reserve = 0;
  if (forward_mode == kTraining)
    *reserve =
        Reserve(nullptr, *static_cast<RnnState*>(rnn), Batch(static_cast<DataState*>(x)->lengths))
            .bytes();
  return kSuccess;
}

// --- weights -------------------------------------------------------------------------------------

Status weights_size(Handle, Descriptor rnn, size_t* bytes) {
  const auto& r = *static_cast<RnnState*>(rnn);
  *bytes = static_cast<size_t>(r.shape.weights()) * size_of(r.dtype);
  return kSuccess;
}

Status weight(Handle, Descriptor rnn, int32_t layer, size_t bytes, const void* weights,
              int32_t gate, Descriptor matrix, void** at_matrix, Descriptor bias, void** at_bias) {
  const auto& r = *static_cast<RnnState*>(rnn);
  const NetShape& s = r.shape;
  if (!weights || !matrix || !bias || layer < 0 || layer >= s.layers * s.directions() || gate < 0 ||
      bytes != static_cast<size_t>(s.weights()) * size_of(r.dtype))
    return kBadParameter;
  auto address = [&](int64_t number) {
    return const_cast<char*>(static_cast<const char*>(weights)) +
           static_cast<size_t>(number) * size_of(r.dtype);
  };
  *at_bias = nullptr;
  if (gate == kProjectionLayer && s.projection) {
    *at_matrix = address(s.projection_at(layer));
    return kSuccess;
  }
  if (gate >= 2 * s.gates()) return kBadParameter;
  *at_matrix = address(s.matrix_at(layer, gate));
  if (s.has_biases) *at_bias = address(s.bias_at(layer, gate));
  return kSuccess;
}

// --- numbers of any type -------------------------------------------------------------------------

template <typename F>
void with_type(ScalarType dtype, const F& f) {
  switch (dtype) {
    case ScalarType::Double:
      return f(double{});
    case ScalarType::Half:
      return f(c10::Half{});
    case ScalarType::BFloat16:
      return f(c10::BFloat16{});
    default:
      return f(float{});
  }
}

Numbers load(const void* from, int64_t count, ScalarType dtype) {
  Numbers numbers(from ? count : 0);
  with_type(dtype, [&](auto zero) {
    const auto* typed = static_cast<const decltype(zero)*>(from);
    for (size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(typed[k]);
  });
  return numbers;
}

void store(void* to, const Numbers& numbers, ScalarType dtype) {
  if (!to) return;
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    auto* typed = static_cast<T*>(to);
    for (size_t k = 0; k < numbers.size(); ++k) {
      if constexpr (std::is_same_v<T, double>) typed[k] = numbers[k];
      else typed[k] = static_cast<T>(static_cast<float>(numbers[k]));
    }
  });
}

// --- the computations ----------------------------------------------------------------------------

// What all of them take, copied: descriptors may be gone when the stream comes to the work.
struct Call {
  RnnState rnn;
  Batch batch;
  const void *hx, *cx, *weights;

  Numbers loaded(const void* from, int64_t count) const { return load(from, count, rnn.dtype); }
  int64_t states(int64_t width) const {
    return rnn.shape.layers * rnn.shape.directions() * batch.active[0] * width;
  }
  bool drops() const { return rnn.dropout.probability > 0 && rnn.shape.layers > 1; }

  template <typename F>
  void with_input(const Numbers& x, const Numbers& masks, const F& f) const {
    const NetShape& s = rnn.shape;
    const Numbers w = loaded(weights, s.weights()), h = loaded(hx, states(s.output())),
                  c = loaded(cx, states(s.hidden));
    f(NetInput{s, batch, w, x, h, c, masks});
  }
};

Status check(Descriptor rnn, Descriptor x, Descriptor y, Descriptor h, Descriptor c,
             size_t weights_size, size_t workspace_size, const void* workspace) {
  const auto& r = *static_cast<RnnState*>(rnn);
  const auto &in = *static_cast<DataState*>(x), &out = *static_cast<DataState*>(y);
  const NetShape& s = r.shape;
  if (in.lengths != out.lengths || in.features != s.input ||
      out.features != s.output() * s.directions() || in.dtype != r.dtype || out.dtype != r.dtype ||
      weights_size != static_cast<size_t>(s.weights()) * size_of(r.dtype) ||
      workspace_size < kWorkspace || !workspace)
    return kBadParameter;
  auto fits = [&](Descriptor descriptor, int64_t width) {
    if (!descriptor) return false;
    const auto& t = *static_cast<TensorState*>(descriptor);
    return t.sizes == std::vector<int64_t>{s.layers * s.directions(),
                                           static_cast<int64_t>(in.lengths.size()), width} &&
           t.dtype == r.dtype && t.strides[1] == width && t.strides[2] == 1;
  };
  if (!fits(h, s.output()) || (s.cell == kLstm && !fits(c, s.hidden))) return kBadParameter;
  return kSuccess;
}

Status forward(Handle handle, Descriptor rnn, int forward_mode, const int32_t*, Descriptor x,
               const void* at_x, Descriptor y, void* at_y, Descriptor h, const void* hx, void* hy,
               Descriptor c, const void* cx, void* cy, size_t weights_size, const void* weights,
               size_t workspace_size, void* workspace, size_t reserve_size, void* reserve) {
  if (const Status status = check(rnn, x, y, h, c, weights_size, workspace_size, workspace))
    return status;
  const Call call{*static_cast<RnnState*>(rnn), Batch(static_cast<DataState*>(x)->lengths), hx, cx,
                  weights};
  const bool trains = forward_mode == kTraining;
  const Reserve kept(reserve, call.rnn, call.batch);
  if (trains && (!reserve || reserve_size < kept.bytes())) return kBadParameter;
  if (trains && call.drops() && !call.rnn.dropout.states) return kBadParameter;
  return enqueue(handle, "cudnnRNNForward", [=] {
    Numbers masks;
    if (trains && call.drops()) {
      DropoutStates& states = *call.rnn.dropout.states;
      const double p = call.rnn.dropout.probability;
      for (int64_t k = 0; k < kept.masks; ++k)
        masks.push_back(uniform(states, static_cast<uint64_t>(k)) < p ? 0 : 1 / (1 - p));
      states.draws += static_cast<uint64_t>(kept.masks);
      std::copy(masks.begin(), masks.end(), kept.mask());
    }
    const Numbers input = call.loaded(at_x, call.batch.rows() * call.rnn.shape.input);
    if (trains) {
      kept.done() = kForwardDone;
      std::copy(input.begin(), input.end(), kept.input());
    }
    call.with_input(input, masks, [&](const NetInput& in) {
      const NetOutput out = run_net(in);
      store(at_y, out.y, call.rnn.dtype);
      store(hy, out.hy, call.rnn.dtype);
      store(cy, out.cy, call.rnn.dtype);
    });
  });
}

Status backward_data(Handle handle, Descriptor rnn, const int32_t*, Descriptor y, const void*,
                     const void* dy, Descriptor x, void* dx, Descriptor h, const void* hx,
                     const void* dhy, void* dhx, Descriptor c, const void* cx, const void* dcy,
                     void* dcx, size_t weights_size, const void* weights, size_t workspace_size,
                     void* workspace, size_t reserve_size, void* reserve) {
  if (const Status status = check(rnn, x, y, h, c, weights_size, workspace_size, workspace))
    return status;
  const Call call{*static_cast<RnnState*>(rnn), Batch(static_cast<DataState*>(x)->lengths), hx, cx,
                  weights};
  const Reserve kept(reserve, call.rnn, call.batch);
  if (!reserve || reserve_size < kept.bytes() || !dy || !dx) return kBadParameter;
  return enqueue(handle, "cudnnRNNBackwardData_v8", [=] {
    const NetShape& s = call.rnn.shape;
    const Numbers masks(kept.mask(), kept.mask() + (call.drops() ? kept.masks : 0)),
        input(kept.input(), kept.input() + kept.inputs);
    call.with_input(input, masks, [&](const NetInput& in) {
      NetGradients g = differentiate_net(
          in, call.loaded(dy, call.batch.rows() * s.output() * s.directions()),
          call.loaded(dhy, call.states(s.output())), call.loaded(dcy, call.states(s.hidden)));
      // A second pass over the same memory is wrong, as with a GPU.
      if (kept.done() != kForwardDone)
        g.x.assign(g.x.size(), std::numeric_limits<double>::quiet_NaN());
      store(dx, g.x, call.rnn.dtype);
      store(dhx, g.hx, call.rnn.dtype);
      store(dcx, g.cx, call.rnn.dtype);
      std::copy(g.weights.begin(), g.weights.end(), kept.gradient());
      kept.done() = kBackwardDone;
    });
  });
}

Status backward_weights(Handle handle, Descriptor rnn, int mode, const int32_t*, Descriptor x,
                        const void* at_x, Descriptor h, const void*, Descriptor y, const void* at_y,
                        size_t weights_size, void* gradients, size_t workspace_size,
                        void* workspace, size_t reserve_size, void* reserve) {
  const auto& r = *static_cast<RnnState*>(rnn);
  if (mode != kAddGradients || !at_x || !at_y || !h || !gradients || !workspace ||
      workspace_size < kWorkspace ||
      weights_size != static_cast<size_t>(r.shape.weights()) * size_of(r.dtype) ||
      static_cast<DataState*>(x)->lengths != static_cast<DataState*>(y)->lengths)
    return kBadParameter;
  const Reserve kept(reserve, r, Batch(static_cast<DataState*>(x)->lengths));
  if (!reserve || reserve_size < kept.bytes()) return kBadParameter;
  return enqueue(handle, "cudnnRNNBackwardWeights_v8", [=, dtype = r.dtype] {
    Numbers sums = load(gradients, kept.weights, dtype);
    for (int64_t k = 0; k < kept.weights; ++k)
      sums[k] += kept.done() == kBackwardDone ? kept.gradient()[k]
                                              : std::numeric_limits<double>::quiet_NaN();
    store(gradients, sums, dtype);
  });
}

}  // namespace

const RnnFunctions* rnn_functions() {
  static const RnnFunctions all{create_descriptor<DropoutState>,
                                destroy_descriptor<DropoutState>,
                                dropout_states_size,
                                set_dropout,
                                restore_dropout,
                                create_descriptor<RnnState>,
                                destroy_descriptor<RnnState>,
                                set_rnn,
                                create_descriptor<DataState>,
                                destroy_descriptor<DataState>,
                                set_data,
                                temporary_sizes,
                                weights_size,
                                weight,
                                forward,
                                backward_data,
                                backward_weights};
  return is_there() ? &all : nullptr;
}

}  // namespace at::cuda::cudnn
