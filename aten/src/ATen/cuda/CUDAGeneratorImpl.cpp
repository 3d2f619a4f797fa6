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
    : GeneratorImpl(c10::Device(kCUDA, device)), seed_(kDefaultSeed) {}

void CUDAGeneratorImpl::check_not_captured(const char* call) const {
  TORCH_CHECK(!graph_, call, ": the generator of ", device(),
              " draws for a CUDA graph that is being captured: seed it before or after that");
}

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
  check_not_captured("manual_seed");
  seed_ = seed;
  offset_ = 0;
}

uint64_t CUDAGeneratorImpl::seed() {
  std::random_device entropy;
  // 53 bits: the seed survives a trip through a double.
  set_current_seed((static_cast<uint64_t>(entropy()) << 32 | entropy()) & 0x1FFFFFFFFFFFFFull);
  return seed_;
}

void CUDAGeneratorImpl::set_offset(uint64_t offset) {
  check_not_captured("set_offset");
  TORCH_CHECK(offset % 4 == 0, "set_offset: an offset is a multiple of 4, got ", offset);
  offset_ = offset;
}

PhiloxState CUDAGeneratorImpl::reserve(uint64_t numbers_per_thread) {
  numbers_per_thread = (numbers_per_thread + 3) / 4 * 4;  // a round of Philox gives four
  const bool is_captured =
      c10::cuda::is_capturing(c10::cuda::getCurrentCUDAStream(device().index()));
  TORCH_CHECK(!is_captured || graph_, "a generator of ", device(),
              " that the CUDA graph does not know draws numbers in its capture: call "
              "CUDAGraph.register_generator_state(generator) before it");
  if (is_captured) {
    PhiloxState state{0, graph_->drawn, graph_->replay};
    graph_->drawn += numbers_per_thread;
    return state;
  }
  return replay(numbers_per_thread);
}

PhiloxState CUDAGeneratorImpl::replay(uint64_t drawn) {
  PhiloxState state{seed_, offset_};
  offset_ += drawn;
  return state;
}

void CUDAGeneratorImpl::begin_capture(GraphRandomState* graph) {
  check_not_captured("capture_begin");
  graph_ = graph;
}
void CUDAGeneratorImpl::end_capture() { graph_ = nullptr; }

// The seed and the offset, eight bytes each.
Tensor CUDAGeneratorImpl::get_state() const {
  Tensor bytes = empty_tensor({16}, kByte);
  std::memcpy(bytes.data_ptr(), &seed_, sizeof seed_);
  std::memcpy(static_cast<char*>(bytes.data_ptr()) + sizeof seed_, &offset_, sizeof offset_);
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
  std::memcpy(&seed_, state.data_ptr(), sizeof seed_);
  if (state.numel() == 16)
    std::memcpy(&offset, static_cast<char*>(state.data_ptr()) + sizeof seed_, sizeof offset);
  set_offset(offset);
}

c10::intrusive_ptr<GeneratorImpl> CUDAGeneratorImpl::clone() const {
  auto copy = c10::make_intrusive<CUDAGeneratorImpl>(device().index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
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
