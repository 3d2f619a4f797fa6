// Random numbers of the device: a linear congruential generator, which is nothing like the CPU's,
// so that a test sees whose numbers it got.

#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <cstring>
#include <random>

#include "device.h"

namespace npu {

struct DeviceGenerator final : at::GeneratorImpl {
  explicit DeviceGenerator(c10::DeviceIndex index) : GeneratorImpl(c10::Device(kType, index)) {}
  void set_current_seed(uint64_t seed) override { seed_ = state_ = seed; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override {
    set_current_seed(std::random_device()());
    return seed_;
  }
  at::Tensor get_state() const override {
    at::Tensor state = at::empty({16}, at::TensorOptions().dtype(at::kByte));
    std::memcpy(state.data_ptr(), &seed_, 8);
    std::memcpy(static_cast<char*>(state.data_ptr()) + 8, &state_, 8);
    return state;
  }
  void set_state(const at::Tensor& state) override {
    TORCH_CHECK(state.numel() == 16, "a state has 16 bytes, got ", state.numel());
    std::memcpy(&seed_, state.data_ptr(), 8);
    std::memcpy(&state_, static_cast<char*>(state.data_ptr()) + 8, 8);
  }
  c10::intrusive_ptr<GeneratorImpl> clone() const override {
    auto copy = c10::make_intrusive<DeviceGenerator>(device().index());
    copy->seed_ = seed_;
    copy->state_ = state_;
    return copy;
  }
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) / (1 << 24);
  }

 private:
  uint64_t seed_ = 0, state_ = 0;
};

const at::Generator& default_generator(c10::DeviceIndex index) {
  static auto* all = [] {
    auto* list = new std::vector<at::Generator>;
    for (int d = 0; d < kDevices; ++d)
      list->push_back(
          at::Generator(c10::make_intrusive<DeviceGenerator>(static_cast<c10::DeviceIndex>(d))));
    return list;
  }();
  return all->at(index < 0 ? current_device() : index);
}

namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return at::Generator(c10::make_intrusive<DeviceGenerator>(
        index < 0 ? static_cast<c10::DeviceIndex>(current_device()) : index));
  }
};
const bool g_registered = (at::RegisterPrivateUse1HooksInterface(new Hooks), true);

at::Tensor& uniform(at::Tensor& self, double from, double to,
                    std::optional<at::Generator> generator) {
  at::Generator g =
      generator && generator->defined() ? *generator : default_generator(self.device().index());
  std::lock_guard<std::mutex> lock(g.mutex());
  Kernel kernel({self});
  at::Tensor seen = seen_by_kernel(self);
  TORCH_CHECK(self.scalar_type() == at::kFloat && self.is_contiguous(),
              "uniform_: this device fills contiguous float32 alone");
  float* data = static_cast<float*>(seen.data_ptr());
  for (int64_t i = 0; i < seen.numel(); ++i)
    data[i] = static_cast<float>(from + (to - from) * g.get<DeviceGenerator>()->next());
  return self;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) { m.impl("uniform_", TORCH_FN(uniform)); }

}  // namespace
}  // namespace npu
