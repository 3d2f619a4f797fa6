// Descriptors of cuDNN for recurrent layers. Where it keeps weights is asked once for each shape.

#include <ATen/native/rnn/cuda/rnn_descriptors.h>

#include <algorithm>
#include <array>
#include <climits>
#include <map>
#include <mutex>

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace at::native {

namespace cudnn = cuda::cudnn;

namespace {

const cudnn::RnnFunctions& functions() { return *cudnn::rnn_functions(); }

int math_type(ScalarType dtype) {
  if (dtype == kHalf || dtype == kBFloat16) return cudnn::kTensorOpMath;
  return globalContext().cudnn().allow_tf32_rnn ? cudnn::kDefaultMath : cudnn::kFmaMath;
}

}  // namespace

RnnDescriptor::RnnDescriptor(const RnnShape& s, ScalarType dtype, double dropout,
                             const Tensor& states)
    : dropout_(functions().create_dropout, functions().destroy_dropout),
      rnn_(functions().create_rnn, functions().destroy_rnn) {
  const auto p = static_cast<float>(dropout);
  if (states.defined() && dropout > 0) {
    // The states have their seed.
    cudnn::check(functions().restore_dropout(dropout_.get(), cudnn::handle(), p, states.data_ptr(),
                                             static_cast<size_t>(states.numel()), 0),
                 "cudnnRestoreDropoutDescriptor");
  } else {
    cudnn::check(functions().set_dropout(dropout_.get(), cudnn::handle(), 0, nullptr, 0, 0),
                 "cudnnSetDropoutDescriptor");
  }
  status_ = functions().set_rnn(
      rnn_.get(), cudnn::kStandardAlgorithm, static_cast<int>(s.cell),
      s.has_biases ? cudnn::kDoubleBias : cudnn::kNoBias,
      s.is_bidirectional ? cudnn::kBidirectional : cudnn::kUnidirectional, cudnn::kLinearInput,
      cudnn::data_type(dtype), dtype == kDouble ? cudnn::kFloat64 : cudnn::kFloat32,
      math_type(dtype), static_cast<int32_t>(s.input), static_cast<int32_t>(s.hidden),
      // As wide as the state: there is none.
      static_cast<int32_t>(s.output()), static_cast<int32_t>(s.layers), dropout_.get(),
      cudnn::kNoPaddedData);
}

RnnStateDescriptor::RnnStateDescriptor(ScalarType dtype, int64_t numbers, int64_t batch,
                                       int64_t width)
    : tensor_(cudnn::functions()->create_tensor, cudnn::functions()->destroy_tensor) {
  const int sizes[] = {static_cast<int>(numbers), static_cast<int>(batch), static_cast<int>(width)};
  const int strides[] = {sizes[1] * sizes[2], sizes[2], 1};
  cudnn::check(
      cudnn::functions()->set_tensor(tensor_.get(), cudnn::data_type(dtype), 3, sizes, strides),
      "cudnnSetTensorNdDescriptor");
}

RnnDataDescriptor::RnnDataDescriptor(ScalarType dtype, const std::vector<int>& lengths,
                                     int64_t features)
    : data_(functions().create_data, functions().destroy_data) {
  double padding = 0;  // there is none
  cudnn::check(functions().set_data(data_.get(), cudnn::data_type(dtype), cudnn::kPackedLayout,
                                    lengths[0], static_cast<int>(lengths.size()),
                                    static_cast<int>(features), lengths.data(), &padding),
               "cudnnSetRNNDataDescriptor");
}

namespace {

// Where cuDNN keeps the gates of a matrix or of a bias, which must be one after the other.
struct Gates {
  const RnnDescriptor& rnn;
  size_t bytes, item;
  const char* base;
  const CudnnDescriptor &matrix, &bias;

  struct Place {
    int64_t matrix = -1, bias = -1;  // in elements; negative if it is not there
  };
  Place place(int64_t number, int64_t gate) const {
    void *at_matrix = nullptr, *at_bias = nullptr;
    Place p;
    if (functions().weight(cudnn::handle(), rnn.get(), static_cast<int32_t>(number), bytes, base,
                           static_cast<int32_t>(gate), matrix.get(), &at_matrix, bias.get(),
                           &at_bias) != 0)
      return p;
    auto elements = [&](const void* at) {
      return at ? (static_cast<const char*>(at) - base) / static_cast<int64_t>(item) : -1;
    };
    return {elements(at_matrix), elements(at_bias)};
  }
  // The first of `count` gates, or -1. `size`: elements of a gate.
  int64_t begin(int64_t number, int64_t first, int64_t count, int64_t size, bool of_bias) const {
    int64_t begin = -1;
    for (int64_t k = 0; k < count; ++k) {
      const Place p = place(number, first + k);
      const int64_t at = of_bias ? p.bias : p.matrix;
      if (at < 0) return -1;
      if (k == 0) begin = at;
      else if (at != begin + k * size) return -1;
    }
    return begin;
  }
};

RnnWeightLayout ask_layout(const RnnShape& s, ScalarType dtype) {
  RnnWeightLayout layout;
  const RnnDescriptor rnn(s, dtype, 0, {});
  if (rnn.status() != 0) return layout;
  // cuDNN refuses some layers only when it is asked for their memory.
  const RnnDataDescriptor data(dtype, {1}, s.input);
  size_t workspace = 0, reserve = 0;
  if (functions().weights_size(cudnn::handle(), rnn.get(), &layout.bytes) != 0 ||
      functions().temporary_sizes(cudnn::handle(), rnn.get(), cudnn::kTraining, data.get(),
                                  &workspace, &reserve) != 0)
    return layout;
  const cudnn::Functions& f = *cudnn::functions();
  const CudnnDescriptor matrix(f.create_tensor, f.destroy_tensor),
      bias(f.create_tensor, f.destroy_tensor);
  const c10::DataPtr memory = c10::cuda::CUDACachingAllocator::get()->allocate(layout.bytes);
  const size_t item = elementSize(dtype);
  const Gates gates{rnn, layout.bytes, item, static_cast<const char*>(memory.get()), matrix, bias};
  layout.numbers = static_cast<int64_t>(layout.bytes / item);
  for (int64_t number = 0; number < s.layers * s.directions(); ++number) {
    for (int64_t parameter = 0; parameter < s.parameters(); ++parameter) {
      const std::vector<int64_t> sizes = s.parameter_sizes(number / s.directions(), parameter);
      const bool is_projection = s.projection && parameter == s.parameters() - 1;
      const bool of_bias = !is_projection && parameter >= 2;
      const int64_t size = of_bias ? s.hidden : s.hidden * sizes[1];
      const int64_t begin =
          is_projection ? gates.begin(number, cudnn::kProjectionLayer, 1, size, false)
                        : gates.begin(number, parameter % 2 * s.gates(), s.gates(), size, of_bias);
      if (begin < 0) return layout;
      layout.begins.push_back(begin);
    }
  }
  layout.is_supported = true;
  return layout;
}

// Before it, and on GPUs before Ampere, cuDNN has no recurrent layers of bfloat16.
constexpr size_t kFirstWithBFloat16 = 91300;

bool has_type(ScalarType dtype) {
  if (dtype == kBFloat16)
    return cudnn::functions()->version() >= kFirstWithBFloat16 &&
           c10::cuda::device_properties(c10::cuda::current_device()).major >= 8;
  return dtype == kFloat || dtype == kDouble || dtype == kHalf;
}

using Key = std::array<int64_t, 10>;
struct Layouts {
  std::mutex mutex;
  std::map<Key, RnnWeightLayout> known;
};
// Never destroyed: threads may still call at the end of the process.
Layouts& layouts() {
  static auto* all = new Layouts;
  return *all;
}
constexpr size_t kMaxLayouts = 1000;

}  // namespace

RnnWeightLayout rnn_weight_layout(const RnnShape& s, ScalarType dtype) {
  const Key key{c10::cuda::current_device(),
                static_cast<int64_t>(dtype),
                static_cast<int64_t>(s.cell),
                s.input,
                s.hidden,
                s.projection,
                s.layers,
                s.has_biases,
                s.is_bidirectional,
                math_type(dtype)};
  {
    std::lock_guard<std::mutex> lock(layouts().mutex);
    if (const auto found = layouts().known.find(key); found != layouts().known.end())
      return found->second;
  }
  RnnWeightLayout layout;
  if (has_type(dtype) && std::max({s.input, s.hidden * s.gates(), s.layers}) <= INT_MAX)
    layout = ask_layout(s, dtype);
  std::lock_guard<std::mutex> lock(layouts().mutex);
  if (layouts().known.size() >= kMaxLayouts) layouts().known.clear();
  return layouts().known[key] = layout;
}

}  // namespace at::native
