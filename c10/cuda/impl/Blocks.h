#pragma once
// Blocks of device memory, in a list for each segment, and the pools that keep the free ones.

#include <set>

#include <c10/cuda/MemoryPool.h>
#include <c10/cuda/impl/ExpandableSegment.h>

namespace c10::cuda::CUDACachingAllocator {

struct Block;
struct BySize {
  bool operator()(const Block* a, const Block* b) const;
};
struct PrivatePool;
class DeviceMemory;

struct Pool {
  std::set<Block*, BySize> free;
  bool is_small;
  PrivatePool* owner;
  std::set<Block*, BySize> unmapped = {};  // addresses of expandable segments
};

struct PrivatePool {
  MempoolId id;
  PoolOptions options = {};
  int users = 1;
  int segments = 0;
  StatArray reserved_bytes;
  Pool small{{}, true, this}, large{{}, false, this};
};

struct Block {
  cudaStream_t stream;
  size_t size;
  char* address;
  Pool* pool;
  DeviceMemory* memory;
  impl::ExpandableSegment* segment = nullptr;  // if it is in one
  bool is_mapped = true;
  size_t requested = 0;
  bool allocated = false;
  int pending_events = 0;
  Block *previous = nullptr, *next = nullptr;  // neighbours in the segment
  std::set<std::pair<DeviceIndex, StreamId>> other_streams = {};
  MemoryContext context = nullptr;  // while it is allocated
  bool is_split() const { return previous || next; }
  bool is_active() const { return allocated || pending_events > 0 || !other_streams.empty(); }
  bool is_free() const { return is_mapped && !is_active(); }
};

inline bool BySize::operator()(const Block* a, const Block* b) const {
  if (a->stream != b->stream) return std::less<cudaStream_t>()(a->stream, b->stream);
  if (a->size != b->size) return a->size < b->size;
  return std::less<char*>()(a->address, b->address);
}

// Makes a block of what is behind the first bytes. The caller must ensure that no pool holds the
// block.
inline Block* split(Block* block, size_t size) {
  auto* behind = new Block{block->stream, block->size - size, block->address + size, block->pool,
                           block->memory, block->segment,     block->is_mapped};
  behind->previous = block;
  behind->next = block->next;
  if (behind->next) behind->next->previous = behind;
  block->next = behind;
  block->size = size;
  return behind;
}

// A block takes in its neighbour, which is gone then. The caller must ensure that no pool holds
// either. `heads` are the first blocks of all segments.
inline void absorb(Block* block, Block* neighbour, std::set<Block*>& heads) {
  if (neighbour == block->previous) {
    block->address = neighbour->address;
    block->previous = neighbour->previous;
    if (block->previous) block->previous->next = block;
    if (heads.erase(neighbour)) heads.insert(block);
  } else {
    block->next = neighbour->next;
    if (block->next) block->next->previous = block;
  }
  block->size += neighbour->size;
  delete neighbour;
}

}  // namespace c10::cuda::CUDACachingAllocator
