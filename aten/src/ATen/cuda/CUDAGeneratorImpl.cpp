// The generators of CUDA devices: seeding, states, and the default generator of each device.

#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <c10/cuda/BadFork.h>

#include <cstring>
#include <deque>
#include <random>

#include <ATen/core/GeneratorRegistry.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <c10/cuda/CUDAStream.h>

namespace at::cuda {

constexpr uint64_t kDefaultSeed = 67280421310721ull;

CUDAGeneratorImpl::CUDAGeneratorImpl(c10::DeviceIndex device)
    : GeneratorImpl(c10::Device(kCUDA, device)), state_(std::make_shared<State>()) {
  state_->seed = kDefaultSeed;
}

void CUDAGeneratorImpl::check_not_captured(const char* call) const {
  TORCH_CHECK(!state_->graph, call, ": the generator of ", device(),
              " draws for a CUDA graph that is being captured: seed it before or after that");
}

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
  check_not_captured("manual_seed");
  state_->seed = seed;
  state_->offset = 0;
}

uint64_t CUDAGeneratorImpl::seed() {
  std::random_device entropy;
  // 53 bits: the seed survives a trip through a double.
  set_current_seed((static_cast<uint64_t>(entropy()) << 32 | entropy()) & 0x1FFFFFFFFFFFFFull);
  return state_->seed;
}

void CUDAGeneratorImpl::set_offset(uint64_t offset) {
  check_not_captured("set_offset");
  TORCH_CHECK(offset % 4 == 0, "set_offset: an offset is a multiple of 4, got ", offset);
  state_->offset = offset;
}

PhiloxState CUDAGeneratorImpl::reserve(uint64_t numbers_per_thread) {
  numbers_per_thread = (numbers_per_thread + 3) / 4 * 4;  // a round of Philox gives four
  const bool is_captured =
      c10::cuda::is_capturing(c10::cuda::getCurrentCUDAStream(device().index()));
  if (!is_captured) return replay(numbers_per_thread);
  std::lock_guard<std::mutex> lock(state_->mutex);
  GraphRandomState* graph = state_->graph;
  TORCH_CHECK(graph, "a generator of ", device(),
              " that the CUDA graph does not know draws numbers in its capture: call "
              "CUDAGraph.register_generator_state(generator) before it");
  PhiloxState state{0, graph->drawn, graph->replay};
  graph->drawn += numbers_per_thread;
  return state;
}

PhiloxState CUDAGeneratorImpl::replay(uint64_t drawn) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  PhiloxState state{state_->seed, state_->offset};
  state_->offset += drawn;
  return state;
}

c10::intrusive_ptr<CUDAGeneratorImpl> CUDAGeneratorImpl::share_state() const {
  auto made = c10::make_intrusive<CUDAGeneratorImpl>(device().index());
  made->state_ = state_;
  return made;
}
void CUDAGeneratorImpl::take_state(const CUDAGeneratorImpl& source) { state_ = source.state_; }

void CUDAGeneratorImpl::begin_capture(GraphRandomState* graph) {
  check_not_captured("capture_begin");
  state_->graph = graph;
}
void CUDAGeneratorImpl::end_capture() { state_->graph = nullptr; }

// The seed and the offset, eight bytes each.
Tensor CUDAGeneratorImpl::get_state() const {
  Tensor bytes = empty_tensor({16}, kByte);
  std::memcpy(bytes.data_ptr(), &state_->seed, sizeof state_->seed);
  std::memcpy(static_cast<char*>(bytes.data_ptr()) + sizeof state_->seed, &state_->offset,
              sizeof state_->offset);
  return bytes;
}

void CUDAGeneratorImpl::set_state(const Tensor& state) {
  TORCH_CHECK_TYPE(state.is_cpu() && state.scalar_type() == kByte && state.layout() == kStrided,
                   "RNG state must be a torch.ByteTensor, got ", dtypeName(state.scalar_type()),
                   " on ", state.device());
  TORCH_CHECK((state.numel() == 16 || state.numel() == 8) && state.is_contiguous(),
              "set_state: the state of a CUDA generator has 16 contiguous bytes, got shape ",
              state.sizes());
  check_not_captured("set_state");
  uint64_t offset = 0;
  std::memcpy(&state_->seed, state.data_ptr(), sizeof state_->seed);
  if (state.numel() == 16)
    std::memcpy(&offset, static_cast<char*>(state.data_ptr()) + sizeof state_->seed, sizeof offset);
  set_offset(offset);
}

c10::intrusive_ptr<GeneratorImpl> CUDAGeneratorImpl::clone() const {
  auto copy = c10::make_intrusive<CUDAGeneratorImpl>(device().index());
  copy->state_->seed = state_->seed;
  copy->state_->offset = state_->offset;
  return copy;
}

// Those that exist: made when the first is asked for, and never destroyed.
static std::deque<Generator>& default_generators() {
  static auto* all = [] {
    auto* made = new std::deque<Generator>;
    for (int d = 0; d < c10::cuda::device_count_ensure_non_zero(); ++d) {
      made->emplace_back(c10::make_intrusive<CUDAGeneratorImpl>(static_cast<c10::DeviceIndex>(d)));
      made->back().set_current_seed(default_device_seed());
    }
    return made;
  }();
  return *all;
}

const Generator& default_cuda_generator(c10::DeviceIndex device) {
  device = c10::cuda::device_or_current(device);
  c10::cuda::check_device(device);
  return default_generators()[static_cast<size_t>(device)];
}

CUDAGeneratorImpl* cuda_generator_or_default(const std::optional<Generator>& generator,
                                             c10::Device device) {
  const Generator& chosen =
      generator && generator->defined() ? *generator : default_cuda_generator(device.index());
  TORCH_CHECK(chosen.device().is_cuda(), "Expected a 'cuda' device type for generator but found '",
              c10::DeviceTypeName(chosen.device().type()), "'");
  TORCH_CHECK(chosen.device() == device, "Expected a generator of ", device,
              ", where the tensor is, but found one of ", chosen.device());
  return chosen.get<CUDAGeneratorImpl>();
}

namespace {

struct CUDAGenerators final : DeviceGenerators {
  const Generator& default_generator(c10::DeviceIndex device) const override {
    return default_cuda_generator(device);
  }
  Generator make(c10::DeviceIndex device) const override {
    device = c10::cuda::device_or_current(device);
    c10::cuda::check_device(device);
    return Generator(c10::make_intrusive<CUDAGeneratorImpl>(device));
  }
  Generator share_state(const Generator& source) const override {
    return Generator(source.get<CUDAGeneratorImpl>()->share_state());
  }
  void take_state(const Generator& generator, const Generator& source) const override {
    generator.get<CUDAGeneratorImpl>()->take_state(*source.get<CUDAGeneratorImpl>());
  }
  void seed_all(uint64_t seed) const override {
    if (c10::cuda::device_count() == 0 || c10::cuda::is_in_bad_fork()) return;
    for (Generator& generator : default_generators()) {
      std::lock_guard<std::mutex> lock(generator.mutex());
      generator.set_current_seed(seed);
    }
  }
};

const CUDAGenerators g_generators;
[[maybe_unused]] const bool g_registered = (register_device_generators(kCUDA, &g_generators), true);

}  // namespace
}  // namespace at::cuda
