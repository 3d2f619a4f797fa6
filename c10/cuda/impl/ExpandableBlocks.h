#pragma once
// The blocks of a device's expandable segments: maps pages where blocks grow, and unmaps free ones.
// See Note [Expandable segments].

#include <c10/cuda/impl/Blocks.h>

namespace c10::cuda::CUDACachingAllocator {

class ExpandableBlocks {
 protected:
  ExpandableBlocks(DeviceIndex device, DeviceMemory* memory) : device_(device), memory_(memory) {}
  virtual ~ExpandableBlocks() = default;

  // A free block of at least so many bytes, which no pool holds, with pages that are new in part.
  // Null if that takes more than `limit` new bytes, or more than there are.
  Block* grow(Pool& pool, size_t page, size_t size, cudaStream_t stream, size_t limit);
  // Unmaps the pages that no block uses. Waits for the streams that used them.
  void shrink(Pool& pool);
  // Another device reads and writes these segments, and those to come.
  void allow(DeviceIndex peer);

  // Pages were mapped, or unmapped.
  virtual void on_pages(const Block& range, bool are_mapped) = 0;
  // There is a segment more, or one less.
  virtual void on_segments(Pool& pool, int change) = 0;

  const DeviceIndex device_;
  std::set<Block*> segments_;  // the first block of each, expandable or not

 private:
  Block* find_room(Pool& pool, size_t size, cudaStream_t stream) const;
  Block* make_segment(Pool& pool, size_t page, cudaStream_t stream);
  Block* map(Block* at, size_t size, size_t& limit);
  void unmap(Block* block, std::set<cudaStream_t>& done);
  void release_segment(Block* block);

  DeviceMemory* memory_;
  std::vector<DeviceIndex> peers_;
};

}  // namespace c10::cuda::CUDACachingAllocator
