#pragma once
// PYTORCH_CUDA_ALLOC_CONF, parsed.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace c10::cuda::impl {

struct AllocatorConfig {
  // Larger blocks are neither split nor used for smaller requests.
  size_t max_split_size = std::numeric_limits<size_t>::max();
  // Unused segments are returned when more than this share of the memory is reserved; 0: never.
  double garbage_collection_threshold = 0;
  // Requests are rounded up to one of so many steps between powers of two; 0: to 512 bytes. The
  // first rule whose limit is above the size counts.
  struct Rounding {
    size_t below, divisions;
  };
  std::vector<Rounding> roundings;
  size_t divisions_for(size_t size) const {
    for (const Rounding& r : roundings) {
      if (size < r.below) return r.divisions;
    }
    return 0;
  }
  // A block of max_split_size or more serves a request if no more than this stays unused.
  size_t max_non_split_rounding = 20 << 20;
  // The share of a device's memory that the process may use from the beginning.
  double per_process_memory_fraction = 1;
  // New memory comes from segments that grow (Note [Expandable segments]).
  bool expandable_segments = false;
  std::string text;

  static const AllocatorConfig& get();
  // Replaces all settings; those that the text does not name have their defaults.
  static void set(const std::string& text);
};

// Whether memory is kept for reuse; false: every block comes from cudaMalloc and returns there.
bool caches_memory();
void set_caches_memory(bool caches);

}  // namespace c10::cuda::impl
