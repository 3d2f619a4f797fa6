#pragma once
// Device: where a tensor's memory is: a type and, for types with several devices, an index.

#include <cstdint>
#include <string>
#include <string_view>

namespace c10 {

// The numbers are PyTorch's; types without a backend in this library keep their names so that
// device strings parse and errors can name the missing device.
enum class DeviceType : int8_t {
  CPU = 0,
  CUDA = 1,
  MKLDNN = 2,
  OPENGL = 3,
  OPENCL = 4,
  IDEEP = 5,
  HIP = 6,
  FPGA = 7,
  MAIA = 8,
  XLA = 9,
  Vulkan = 10,
  Metal = 11,
  XPU = 12,
  MPS = 13,
  Meta = 14,
  HPU = 15,
  VE = 16,
  Lazy = 17,
  IPU = 18,
  MTIA = 19,
  PrivateUse1 = 20,
  COMPILE_TIME_MAX_DEVICE_TYPES = 21
};

constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMeta = DeviceType::Meta;

using DeviceIndex = int8_t;

const char* DeviceTypeName(DeviceType type);  // "cpu"
// Renames PrivateUse1 devices after their backend: "npu" instead of "privateuseone". Once per
// process; throws for another name afterwards, and for one that is not lower case.
void register_privateuse1_backend(const std::string& name);
// "npu", or "Npu" in names of types.
std::string get_privateuse1_backend(bool lower_case = true);
bool is_privateuse1_backend_registered();

struct Device final {
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  // "cuda:1"; throws if the text is not a device string.
  explicit Device(std::string_view text);

  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool has_index() const { return index_ != -1; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  constexpr bool is_meta() const { return type_ == DeviceType::Meta; }
  std::string str() const;

  friend constexpr bool operator==(Device a, Device b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend constexpr bool operator!=(Device a, Device b) { return !(a == b); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

std::string to_string(Device device);
std::string to_string(DeviceType type);

}  // namespace c10
