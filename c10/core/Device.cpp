#include <c10/core/Device.h>

#include <c10/util/Exception.h>

namespace c10 {

static const char* const kNames[] = {"cpu", "cuda", "mkldnn",       "opengl", "opencl", "ideep",
                                     "hip", "fpga", "maia",         "xla",    "vulkan", "metal",
                                     "xpu", "mps",  "meta",         "hpu",    "ve",     "lazy",
                                     "ipu", "mtia", "privateuseone"};

const char* DeviceTypeName(DeviceType type) { return kNames[static_cast<int>(type)]; }

static std::string known_names() {
  std::string all;
  for (const char* name : kNames) {
    if (!all.empty()) all += ", ";
    all += name;
  }
  return all;
}

Device::Device(std::string_view text) : type_(DeviceType::CPU), index_(-1) {
  TORCH_CHECK(!text.empty(), "Device string must not be empty");
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  int found = -1;
  for (int i = 0; i < static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES); ++i) {
    if (name == kNames[i]) found = i;
  }
  bool numeral = !name.empty();
  for (char c : name) numeral = numeral && c >= '0' && c <= '9';
  TORCH_CHECK(!numeral, "Invalid device string: '", text, "'");
  TORCH_CHECK(found >= 0, "Expected one of ", known_names(),
              " device type at start of device string: ", text);
  type_ = static_cast<DeviceType>(found);
  if (colon == std::string_view::npos) return;
  std::string_view digits = text.substr(colon + 1);
  int index = 0;
  bool good = !digits.empty() && digits.size() <= 3 && (digits.size() == 1 || digits[0] != '0');
  for (char c : digits) {
    good = good && c >= '0' && c <= '9';
    index = index * 10 + (c - '0');
  }
  TORCH_CHECK(good && index <= 127, "Invalid device string: '", text,
              "': the index must be a number from 0 to 127 without leading zeros");
  index_ = static_cast<DeviceIndex>(index);
}

std::string Device::str() const {
  std::string s = DeviceTypeName(type_);
  if (has_index()) s += ":" + std::to_string(index_);
  return s;
}

std::string to_string(Device device) { return device.str(); }
std::string to_string(DeviceType type) { return DeviceTypeName(type); }

}  // namespace c10
