#pragma once
// Memory from the system, for the CPU allocator.

#include <cstddef>
#include <cstdint>

namespace c10::impl {

// Both the size of a slab of small blocks and the alignment of every large block, so that the
// header of any block is found by clearing the low bits of its address.
constexpr size_t kRegionAlignment = size_t{512} << 10;
constexpr size_t kHugePage = size_t{2} << 20;

// The first 64 bytes of a region. Small and large blocks use the rest differently.
struct RegionHeader {
  uint32_t size_class;  // kLargeClass: one large block
};
constexpr uint32_t kLargeClass = 255;

inline RegionHeader* region_of(void* block) {
  return reinterpret_cast<RegionHeader*>(reinterpret_cast<uintptr_t>(block) &
                                         ~(kRegionAlignment - 1));
}

// Maps `size` bytes (a multiple of the page size) at a multiple of `alignment`; nullptr if the
// system refuses. With `huge`, requests huge pages: faster to fault in, but only whole ones at a
// time.
void* map_pages(size_t size, size_t alignment, bool huge);
void unmap_pages(void* begin, size_t size);
// Returns the pages to the system but keeps the addresses; they read as zero afterwards.
void drop_pages(void* begin, size_t size);

// The bytes that programs may still use according to the system.
size_t available_memory();
size_t total_memory();
// Milliseconds of a monotonic clock; cheap, with a precision of a few milliseconds.
uint64_t coarse_milliseconds();

}  // namespace c10::impl
