#pragma once
// The generator of a CUDA device: a seed, and how many numbers each thread of the kernels so far
// may have drawn. The numbers are those of Philox (native/common/cuda/Philox.cuh), which computes
// any of them from its position: with PyTorch's seed and offset come PyTorch's numbers.

#include <memory>
#include <mutex>
#include <optional>

#include <ATen/core/Generator.h>
#include <c10/util/Exception.h>

namespace at::cuda {

// What a kernel needs to draw numbers.
struct PhiloxState {
  uint64_t seed = 0;
  uint64_t offset = 0;  // in numbers of 32 bits for each thread; a multiple of four
  // In a graph: the seed and the offset of the replay, on the device. `offset` counts from there.
  const uint64_t* replay = nullptr;
};

// What the kernels of a graph read, and how far a replay takes the generator.
struct GraphRandomState {
  const uint64_t* replay;  // 16 bytes on the device
  uint64_t drawn = 0;      // numbers for each thread
};

struct CUDAGeneratorImpl final : GeneratorImpl {
  explicit CUDAGeneratorImpl(c10::DeviceIndex device);
  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override { return state_->seed; }
  uint64_t seed() override;
  Tensor get_state() const override;
  void set_state(const Tensor& state) override;
  c10::intrusive_ptr<GeneratorImpl> clone() const override;

  uint64_t get_offset() const override { return state_->offset; }
  void set_offset(uint64_t offset) override;
  // The state for a kernel whose threads draw up to that many numbers each. The mutex must be held.
  PhiloxState reserve(uint64_t numbers_per_thread);
  // The same, by the name that programs use.
  PhiloxState philox_cuda_state(uint64_t numbers_per_thread) { return reserve(numbers_per_thread); }

  // Generators may share a state: it goes on whichever of them draws.
  c10::intrusive_ptr<CUDAGeneratorImpl> share_state() const;
  void take_state(const CUDAGeneratorImpl& source);
  bool shares_state_with(const CUDAGeneratorImpl& other) const { return state_ == other.state_; }

  // Between these, what is reserved on captured streams belongs to the graph.
  void begin_capture(GraphRandomState* graph);
  void end_capture();
  // The state for a replay of so many numbers for each thread.
  PhiloxState replay(uint64_t drawn);

 private:
  void check_not_captured(const char* call) const;

  struct State {
    std::mutex mutex;  // of what draws: that of a generator does not cover the others
    uint64_t seed, offset = 0;
    GraphRandomState* graph = nullptr;
  };
  std::shared_ptr<State> state_;
};

const Generator& default_cuda_generator(c10::DeviceIndex device = -1);
// Returns the generator of an optional argument, or the default one of the device. Throws if it
// belongs to another device.
CUDAGeneratorImpl* cuda_generator_or_default(const std::optional<Generator>& generator,
                                             c10::Device device);

}  // namespace at::cuda

// Names that programs use.
namespace at {

using PhiloxCudaState = cuda::PhiloxState;
using cuda::CUDAGeneratorImpl;

template <typename T>
T* check_generator(const std::optional<Generator>& generator) {
  TORCH_CHECK(generator && generator->defined(), "expected a generator, got none");
  T* impl = dynamic_cast<T*>(generator->unsafeGetGeneratorImpl());
  TORCH_CHECK(impl, "the generator of ", generator->device(), " is not of the expected kind");
  return impl;
}
template <typename T>
T* get_generator_or_default(const std::optional<Generator>& generator, const Generator& standard) {
  return check_generator<T>(generator && generator->defined() ? *generator : standard);
}

namespace cuda::detail {
inline const Generator& getDefaultCUDAGenerator(c10::DeviceIndex device = -1) {
  return default_cuda_generator(device);
}
}  // namespace cuda::detail

}  // namespace at
