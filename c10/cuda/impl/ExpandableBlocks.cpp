// See Note [Expandable segments].

#include <c10/cuda/impl/ExpandableBlocks.h>

#include <algorithm>

namespace c10::cuda::CUDACachingAllocator {
namespace {

size_t free_before(const Block& block) {
  return block.previous && block.previous->is_free() ? block.previous->size : 0;
}

// The bytes that a free block has if all that is unmapped or free from here on is mapped.
size_t room_at(const Block& unmapped, size_t enough) {
  size_t room = free_before(unmapped);
  for (const Block* b = &unmapped; b && room < enough && (!b->is_mapped || b->is_free());
       b = b->next)
    room += b->size;
  return room;
}

}  // namespace

Block* ExpandableBlocks::grow(Pool& pool, size_t page, size_t size, cudaStream_t stream,
                              size_t limit) {
  Block* at = find_room(pool, size, stream);
  if (!at) at = make_segment(pool, page, stream);
  if (!at || room_at(*at, size) < size) return nullptr;
  for (;;) {
    Block* made = map(at, size - free_before(*at), limit);
    if (!made) return nullptr;
    if (made->size >= size) {
      pool.free.erase(made);
      return made;
    }
    at = made->next;  // there is room: it is unmapped
  }
}

// The smallest unmapped range first: holes are filled before the end of a segment grows.
Block* ExpandableBlocks::find_room(Pool& pool, size_t size, cudaStream_t stream) const {
  Block key{stream, 0, nullptr, &pool, nullptr};
  for (auto at = pool.unmapped.lower_bound(&key);
       at != pool.unmapped.end() && (*at)->stream == stream; ++at) {
    if (room_at(**at, size) >= size) return *at;
  }
  return nullptr;
}

Block* ExpandableBlocks::make_segment(Pool& pool, size_t page, cudaStream_t stream) {
  auto* segment = impl::ExpandableSegment::make(device_, page, peers_);
  if (!segment) return nullptr;
  auto* block = new Block{stream,  segment->size(), segment->base(),    &pool,
                          memory_, segment,         /*is_mapped=*/false};
  segments_.insert(block);
  pool.unmapped.insert(block);
  on_segments(pool, 1);
  return block;
}

// Maps the first pages of an unmapped range, so many bytes or as many as there are. Returns the
// free block that they are in, which its pool holds.
Block* ExpandableBlocks::map(Block* at, size_t size, size_t& limit) {
  Pool& pool = *at->pool;
  const size_t page = at->segment->page();
  size = std::min(at->size, (size + page - 1) / page * page);
  if (size > limit || !at->segment->map(at->address, at->address + size)) return nullptr;
  limit -= size;
  pool.unmapped.erase(at);
  if (at->size > size) pool.unmapped.insert(split(at, size));
  at->is_mapped = true;
  on_pages(*at, true);
  for (Block* other : {at->previous, at->next}) {
    if (!other || !other->is_free()) continue;
    pool.free.erase(other);
    absorb(at, other, segments_);
  }
  pool.free.insert(at);
  return at;
}

void ExpandableBlocks::shrink(Pool& pool) {
  std::set<cudaStream_t> done;
  for (auto at = pool.free.begin(); at != pool.free.end();) {
    Block* block = *at++;
    if (block->segment) unmap(block, done);
  }
  for (auto at = pool.unmapped.begin(); at != pool.unmapped.end();) {
    Block* block = *at++;
    if (block->size == block->segment->size()) release_segment(block);
  }
}

// Unmaps the whole pages of a free block.
void ExpandableBlocks::unmap(Block* block, std::set<cudaStream_t>& done) {
  Pool& pool = *block->pool;
  impl::ExpandableSegment& segment = *block->segment;
  char* begin = segment.round_up(block->address);
  char* end = segment.round_down(block->address + block->size);
  if (begin >= end) return;
  // Work that was queued before the block was freed may use it still.
  if (done.insert(block->stream).second) C10_CUDA_CHECK(cudaStreamSynchronize(block->stream));
  pool.free.erase(block);
  if (begin > block->address) {
    Block* rest = split(block, static_cast<size_t>(begin - block->address));
    pool.free.insert(block);
    block = rest;
  }
  const auto size = static_cast<size_t>(end - begin);
  if (block->size > size) pool.free.insert(split(block, size));
  segment.unmap(begin, end);
  on_pages(*block, false);
  block->is_mapped = false;
  for (Block* other : {block->previous, block->next}) {
    if (!other || other->is_mapped) continue;
    pool.unmapped.erase(other);
    absorb(block, other, segments_);
  }
  pool.unmapped.insert(block);
}

void ExpandableBlocks::release_segment(Block* block) {
  Pool& pool = *block->pool;
  pool.unmapped.erase(block);
  segments_.erase(block);
  delete block->segment;
  delete block;
  on_segments(pool, -1);
}

void ExpandableBlocks::allow(DeviceIndex peer) {
  peers_.push_back(peer);
  for (Block* head : segments_) {
    if (head->segment) head->segment->allow(peer);
  }
}

}  // namespace c10::cuda::CUDACachingAllocator
