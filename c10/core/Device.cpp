// Names of devices.

#include <c10/core/Device.h>

#include <atomic>
#include <cctype>
#include <mutex>

#include <c10/util/Exception.h>

namespace c10 {

static const char* const kNames[] = {"cpu", "cuda", "mkldnn",       "opengl", "opencl", "ideep",
                                     "hip", "fpga", "maia",         "xla",    "vulkan", "metal",
                                     "xpu", "mps",  "meta",         "hpu",    "ve",     "lazy",
                                     "ipu", "mtia", "privateuseone"};

// The name that a backend gave to PrivateUse1; null before that.
static std::atomic<const char*> g_privateuse1_name{nullptr};

const char* DeviceTypeName(DeviceType type) {
  if (type == DeviceType::PrivateUse1) {
    if (const char* name = g_privateuse1_name.load(std::memory_order_acquire)) return name;
  }
  return kNames[static_cast<int>(type)];
}

void register_privateuse1_backend(const std::string& name) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  bool valid = !name.empty();
  for (char c : name) valid = valid && (std::islower(c) || std::isdigit(c) || c == '_');
  TORCH_CHECK(valid && !std::isdigit(name[0]),
              "register_privateuse1_backend: a backend's name has lower-case letters, digits and "
              "underscores and begins with a letter, got '",
              name, "'");
  for (const char* taken : kNames) {
    TORCH_CHECK(name != taken, "register_privateuse1_backend: the name '", name,
                "' is another device's");
  }
  const char* before = g_privateuse1_name.load();
  TORCH_CHECK(!before || name == before, "register_privateuse1_backend: the backend is called '",
              before ? before : "", "' already; it cannot become '", name, "'");
  // Never freed: messages may name it until the process ends.
  if (!before) g_privateuse1_name.store((new std::string(name))->c_str());
}

std::string get_privateuse1_backend(bool lower_case) {
  std::string name = DeviceTypeName(DeviceType::PrivateUse1);
  if (!lower_case) name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

bool is_privateuse1_backend_registered() { return g_privateuse1_name.load() != nullptr; }

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
    if (name == kNames[i] || name == DeviceTypeName(static_cast<DeviceType>(i))) found = i;
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
