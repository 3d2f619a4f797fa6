// Random numbers for dropout between the layers that cuDNN computes. It keeps a generator of its
// own in device memory, and takes long to initialize it: there is one for each device.
//
// It starts anew, from PyTorch's generator of the device, when that was seeded since: so
// torch.manual_seed makes a program repeat itself.

#include <array>
#include <map>
#include <mutex>

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/native/common/cuda/Register.h>
#include <ATen/native/rnn/cuda/rnn_descriptors.h>
#include <ATen/ops/_cudnn_init_dropout_state_native.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace at::native {
namespace {

namespace cudnn = cuda::cudnn;

Tensor new_states(const TensorOptions& options, double p, uint64_t seed) {
  const cudnn::RnnFunctions& f = *cudnn::rnn_functions();
  size_t bytes = 0;
  cudnn::check(f.dropout_states_size(cudnn::handle(), &bytes), "cudnnDropoutGetStatesSize");
  const Tensor states = at::empty({static_cast<int64_t>(bytes)}, options.dtype(kByte));
  const CudnnDescriptor dropout(f.create_dropout, f.destroy_dropout);
  cudnn::check(f.set_dropout(dropout.get(), cudnn::handle(), static_cast<float>(p),
                             states.data_ptr(), bytes, seed),
               "cudnnSetDropoutDescriptor");
  return states;
}

struct DeviceStates {
  std::mutex mutex;
  Tensor states;
  uint64_t seed = 0, offset = 0;  // of the generator, at the last use
  std::optional<c10::cuda::CUDAStream> stream;
};
// Never destroyed: at the end of the process the driver may be gone before this library.
DeviceStates& states_of(c10::DeviceIndex device) {
  static auto* mutex = new std::mutex;
  static auto* all = new std::map<c10::DeviceIndex, DeviceStates>;
  std::lock_guard<std::mutex> lock(*mutex);
  return (*all)[device];
}

Tensor dropout_states(const Tensor& like) {
  const c10::OptionalDeviceGuard guard(like.device());
  DeviceStates& s = states_of(like.device().index());
  std::lock_guard<std::mutex> lock(s.mutex);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  if (c10::cuda::is_capturing(stream)) {
    TORCH_CHECK(s.states.defined(),
                "dropout between recurrent layers of cuDNN needs its random numbers before a graph "
                "is captured: run the layers once before that");
    return s.states;
  }
  auto* generator = cuda::cuda_generator_or_default(std::nullopt, like.device());
  cuda::PhiloxState now;
  {
    std::lock_guard<std::mutex> drawing(generator->mutex_);
    now = generator->reserve(4);
  }
  if (s.stream && *s.stream != stream) c10::cuda::stream_synchronize(*s.stream, "dropout");
  if (!s.states.defined() || now.seed != s.seed || now.offset <= s.offset)
    s.states = new_states(like.options(), 0.5, now.seed + now.offset);
  s.seed = now.seed;
  s.offset = now.offset;
  s.stream = stream;
  return s.states;
}

}  // namespace

Tensor _cudnn_init_dropout_state(double dropout, bool train, int64_t dropout_seed,
                                 std::optional<ScalarType> dtype, std::optional<Layout> /*layout*/,
                                 std::optional<Device> device, std::optional<bool> /*pin_memory*/) {
  TORCH_CHECK(cudnn::rnn_functions() != nullptr, "_cudnn_init_dropout_state: cuDNN is not there");
  TORCH_CHECK(dropout >= 0 && dropout <= 1,
              "_cudnn_init_dropout_state: dropout must be in [0, 1], got ", dropout);
  TORCH_CHECK(dtype.value_or(kByte) == kByte,
              "_cudnn_init_dropout_state: the state has elements of uint8, got ",
              toString(dtype.value_or(kByte)));
  const c10::OptionalDeviceGuard guard(device);
  const TensorOptions options = TensorOptions(kByte).device(device.value_or(Device(kCUDA)));
  if (!train || dropout == 0) return at::empty({0}, options);
  return new_states(options, dropout, static_cast<uint64_t>(dropout_seed));
}

REGISTER_CUDA_DISPATCH(cudnn_dropout_stub, &dropout_states)

}  // namespace at::native
