// Parses PYTORCH_CUDA_ALLOC_CONF.

#include <c10/cuda/impl/AllocatorConfig.h>

#include <c10/util/Environment.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

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

std::string without_blanks(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\t'; }),
             text.end());
  return text;
}

// "a:1,b:[256:1,>:8]" -> "a:1", "b:[256:1,>:8]"
std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (char c : text) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth == 0) items.emplace_back();
    else items.back() += c;
  }
  TORCH_CHECK(depth == 0, "PYTORCH_CUDA_ALLOC_CONF: brackets do not match in '", text, "'");
  return items;
}

size_t divisions_of(const std::string& text) {
  const auto steps = static_cast<size_t>(number_of("roundup_power2_divisions", text));
  TORCH_CHECK((steps & (steps - 1)) == 0,
              "PYTORCH_CUDA_ALLOC_CONF: roundup_power2_divisions: expected a power of two, got ",
              text);
  return steps;
}

// 8, or [256:1,512:2,>:8]: by sizes in MiB, and for all larger ones.
std::vector<AllocatorConfig::Rounding> roundings_of(const std::string& text) {
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  const char* name = "roundup_power2_divisions";
  if (text.empty() || text[0] != '[') return {{kAll, divisions_of(text)}};
  std::vector<AllocatorConfig::Rounding> rules;
  for (const std::string& item : items_of(text.substr(1, text.size() - 2))) {
    const size_t colon = item.find(':');
    TORCH_CHECK(colon != std::string::npos, "PYTORCH_CUDA_ALLOC_CONF: ", name,
                ": expected SIZE:DIVISIONS in the list, got '", item, "'");
    const std::string limit = item.substr(0, colon);
    size_t below = kAll;
    if (limit != ">") {
      const auto megabytes = static_cast<size_t>(number_of(name, limit));
      TORCH_CHECK(megabytes > 0 && (megabytes & (megabytes - 1)) == 0,
                  "PYTORCH_CUDA_ALLOC_CONF: ", name,
                  ": sizes in the list have to be powers of two in MiB, or > for the rest, got '",
                  limit, "'");
      below = megabytes << 20;
    }
    TORCH_CHECK(rules.empty() || below > rules.back().below, "PYTORCH_CUDA_ALLOC_CONF: ", name,
                ": sizes in the list have to grow, got '", text, "'");
    rules.push_back({below, divisions_of(item.substr(colon + 1))});
  }
  // Larger sizes take the last rule.
  rules.back().below = kAll;
  return rules;
}

// Settings that say how fast something is done elsewhere, not what is done: they change nothing
// here.
bool has_no_effect(const std::string& name) {
  for (const char* known : {"pinned_use_cuda_host_register", "pinned_num_register_threads",
                            "pinned_use_background_threads", "pinned_reserve_segment_size_mb",
                            "release_lock_on_cudamalloc", "graph_capture_record_stream_reuse",
                            "large_segment_size_mb", "throw_on_cudamalloc_oom"}) {
    if (name == known) return true;
  }
  return false;
}

AllocatorConfig parse(const std::string& text) {
  AllocatorConfig config;
  config.text = text;
  for (const std::string& item : items_of(without_blanks(text))) {
    size_t colon = item.find(':');
    std::string name = item.substr(0, colon);
    std::string value = colon == std::string::npos ? "" : item.substr(colon + 1);
    if (item.empty()) {
    } else if (name == "max_split_size_mb") {
      double megabytes = number_of(name, value);
      TORCH_CHECK(megabytes > 20,
                  "PYTORCH_CUDA_ALLOC_CONF: max_split_size_mb: expected more than 20, got ", value);
      config.max_split_size = static_cast<size_t>(megabytes) << 20;
    } else if (name == "max_non_split_rounding_mb") {
      double megabytes = number_of(name, value);
      TORCH_CHECK(megabytes > 20,
                  "PYTORCH_CUDA_ALLOC_CONF: max_non_split_rounding_mb: expected more than 20, got ",
                  value);
      config.max_non_split_rounding = static_cast<size_t>(megabytes) << 20;
    } else if (name == "garbage_collection_threshold") {
      config.garbage_collection_threshold = number_of(name, value);
      TORCH_CHECK(
          config.garbage_collection_threshold < 1,
          "PYTORCH_CUDA_ALLOC_CONF: garbage_collection_threshold: expected less than 1, got ",
          value);
    } else if (name == "per_process_memory_fraction") {
      config.per_process_memory_fraction = number_of(name, value);
      TORCH_CHECK(config.per_process_memory_fraction <= 1,
                  "PYTORCH_CUDA_ALLOC_CONF: per_process_memory_fraction: expected a fraction from "
                  "0 to 1, got ",
                  value);
    } else if (name == "roundup_power2_divisions") {
      config.roundings = roundings_of(value);
    } else if (name == "expandable_segments") {
      config.expandable_segments = flag_of(name, value);
    } else if (name == "backend") {
      TORCH_CHECK(value == "native" || value == "cudaMallocAsync",
                  "PYTORCH_CUDA_ALLOC_CONF: backend: expected native or cudaMallocAsync, got '",
                  value, "'");
      if (value != "native")
        TORCH_WARN(
            "PYTORCH_CUDA_ALLOC_CONF: backend:cudaMallocAsync has no effect: memory comes "
            "from torch's own allocator");
    } else if (has_no_effect(name)) {
      TORCH_WARN("PYTORCH_CUDA_ALLOC_CONF: ", name, " has no effect in this version");
    } else {
      TORCH_CHECK(false, "PYTORCH_CUDA_ALLOC_CONF: this build does not know '", item,
                  "'; it knows backend, expandable_segments, garbage_collection_threshold, "
                  "max_non_split_rounding_mb, max_split_size_mb, per_process_memory_fraction and "
                  "roundup_power2_divisions");
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
