// Parses PYTORCH_CUDA_ALLOC_CONF.

#include <c10/cuda/impl/AllocatorConfig.h>

#include <c10/util/Environment.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdlib>
#include <sstream>
#include <string>

namespace c10::cuda::impl {
namespace {

double number_of(const std::string& name, const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  TORCH_CHECK(end && *end == 0 && !text.empty() && value >= 0, "PYTORCH_CUDA_ALLOC_CONF: ", name,
              ": expected a number, got '", text, "'");
  return value;
}

std::atomic<bool>& caching() {
  static std::atomic<bool> on{!env_flag("PYTORCH_NO_CUDA_MEMORY_CACHING")};
  return on;
}

bool flag_of(const std::string& name, const std::string& text) {
  TORCH_CHECK(text == "True" || text == "true" || text == "False" || text == "false",
              "PYTORCH_CUDA_ALLOC_CONF: ", name, ": expected True or False, got '", text, "'");
  return text == "True" || text == "true";
}

AllocatorConfig parse(const std::string& text) {
  AllocatorConfig config;
  config.text = text;
  std::istringstream all(text);
  for (std::string item; std::getline(all, item, ',');) {
    size_t colon = item.find(':');
    std::string name = item.substr(0, colon);
    std::string value = colon == std::string::npos ? "" : item.substr(colon + 1);
    if (name == "max_split_size_mb") {
      double megabytes = number_of(name, value);
      TORCH_CHECK(megabytes > 20,
                  "PYTORCH_CUDA_ALLOC_CONF: max_split_size_mb: expected more than 20, got ", value);
      config.max_split_size = static_cast<size_t>(megabytes) << 20;
    } else if (name == "garbage_collection_threshold") {
      config.garbage_collection_threshold = number_of(name, value);
      TORCH_CHECK(
          config.garbage_collection_threshold < 1,
          "PYTORCH_CUDA_ALLOC_CONF: garbage_collection_threshold: expected less than 1, got ",
          value);
    } else if (name == "roundup_power2_divisions") {
      auto steps = static_cast<size_t>(number_of(name, value));
      TORCH_CHECK(
          (steps & (steps - 1)) == 0,
          "PYTORCH_CUDA_ALLOC_CONF: roundup_power2_divisions: expected a power of two, got ",
          value);
      config.roundup_power2_divisions = steps;
    } else if (name == "backend" && value == "native") {
    } else if (name == "expandable_segments") {
      config.expandable_segments = flag_of(name, value);
    } else {
      TORCH_CHECK(false, "PYTORCH_CUDA_ALLOC_CONF: this build does not know '", item,
                  "'; it knows max_split_size_mb, garbage_collection_threshold, "
                  "roundup_power2_divisions and expandable_segments");
    }
  }
  return config;
}

std::string text_of_environment() {
  const char* text = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
  if (!text || !*text) text = std::getenv("PYTORCH_ALLOC_CONF");
  return text ? text : "";
}

// What was replaced stays: other threads may read it.
std::atomic<const AllocatorConfig*>& current() {
  static std::atomic<const AllocatorConfig*> one{new AllocatorConfig(parse(text_of_environment()))};
  return one;
}

}  // namespace

const AllocatorConfig& AllocatorConfig::get() { return *current().load(std::memory_order_acquire); }
void AllocatorConfig::set(const std::string& text) { current() = new AllocatorConfig(parse(text)); }

bool caches_memory() { return caching().load(std::memory_order_relaxed); }
void set_caches_memory(bool caches) { caching() = caches; }

}  // namespace c10::cuda::impl
