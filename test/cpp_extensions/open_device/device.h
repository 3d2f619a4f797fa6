#pragma once
// A device that stands for somebody else's accelerator: two of them, with memory of their own that
// the CPU may touch only inside of a kernel. Outside of one, every access is a segmentation fault:
// whatever takes the device's memory for the CPU's fails at once.

#include <ATen/ATen.h>
#include <torch/all.h>

namespace npu {

constexpr int kDevices = 2;
constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

// Makes the memory of tensors reachable for a scope, as a kernel that runs on the device would.
class Kernel {
 public:
  Kernel(std::initializer_list<at::Tensor> tensors);
  ~Kernel();

 private:
  std::vector<void*> opened_;
};

// A CPU tensor over the same memory; only within a Kernel of this tensor.
at::Tensor seen_by_kernel(const at::Tensor& t);

// How many bytes are in use.
size_t allocated_bytes();

int current_device();
const at::Generator& default_generator(c10::DeviceIndex index);

}  // namespace npu
