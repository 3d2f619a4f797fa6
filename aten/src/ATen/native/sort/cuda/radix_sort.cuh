#pragma once
// Sorts long rows of elements by their keys; equal ones keep their order.
//
// Note [Radix sort on CUDA]
// ~~~~~~~~~~~~~~~~~~~~~~~~~
// A pass orders a row by eight bits of the keys, one digit, and keeps the order of equal digits.
// The first pass takes the lowest digit. A row is divided among blocks in parts, and a pass is
// three kernels: each block counts the digits of its part; the counts become the places where the
// part's elements go; each block moves its elements there, in the order that they have.
//
// A pass can be one kernel, in which a block waits until those before it have published their
// counts (A. Adinets and D. Merrill, "Onesweep: a faster least significant digit radix sort for
// GPUs", 2022). It reads the keys once, not twice. But it is correct only as long as the blocks
// that are waited for make progress. On the emulated device a block begins when the one before it
// has ended, so nothing would ever wait in the tests. Here no block waits for another, and what the
// tests run is what a GPU runs.
//
// Before the passes, one kernel counts all digits of a row, which no pass changes, and finds the
// bits in which its keys differ. A pass whose digit is the same in all keys of a row is left out by
// the blocks of that row. The host does not learn of it, and does not wait: the place of the result
// follows from the bits. Keys and indices are in arrays of their own, so that counting reads keys
// alone. The first pass reads the tensor.

#include <ATen/native/common/StructuredOutputs.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/Launch.h>
#include <ATen/native/sort/cuda/results.cuh>

namespace at::native::radix_sort {

constexpr int kThreads = 256, kWarps = kThreads / 32, kItems = 16, kTile = kThreads * kItems;
constexpr int kBits = 8, kDigits = 1 << kBits, kMaxPasses = 8;
constexpr unsigned kAllLanes = 0xffffffffu;
static_assert(kDigits == kThreads, "a thread has a digit");

// Indices and places within a row have 32 bits.
constexpr int64_t kMaxLength = 0xffffffff;

// The passes that a row takes, as a set of bytes: byte p is 1 if it takes pass p. One at least, so
// that the keys and indices are written.
struct PassesTaken {
  uint64_t set;
  __device__ explicit PassesTaken(uint64_t differing_bits) : set(differing_bits) {
    for (int reach = 4; reach > 0; reach /= 2) set |= set >> reach;
    set &= 0x0101010101010101ull;
    if (set == 0) set = 1;
  }
  __device__ bool has(int pass) const { return (set >> (kBits * pass) & 1) != 0; }
  __device__ int before(int pass) const { return __popcll(set & ((1ull << (kBits * pass)) - 1)); }
  __device__ int total() const { return __popcll(set); }
};

// K: the word of a key, of 32 or 64 bits. Arrays of pairs take turns: a pass that a row takes reads
// what the one before it wrote.
template <typename K>
struct Arrays {
  K* keys[2];  // [rows, n]
  uint32_t* indices[2];
  unsigned long long* differing;  // [rows]: the bits that are not the same in all keys
  int64_t n;

  __device__ PassesTaken taken(int64_t row) const { return PassesTaken(differing[row]); }
  // What the pass after `count` others reads, count > 0, and what it writes.
  __device__ const K* keys_from(int count) const { return count & 1 ? keys[0] : keys[1]; }
  __device__ const uint32_t* indices_from(int count) const {
    return count & 1 ? indices[0] : indices[1];
  }
  __device__ K* keys_to(int count) const { return count & 1 ? keys[1] : keys[0]; }
  __device__ uint32_t* indices_to(int count) const { return count & 1 ? indices[1] : indices[0]; }

  // Of the sorted rows.
  __device__ uint64_t key(int64_t row, int64_t i) const {
    return keys_from(taken(row).total())[row * n + i];
  }
  __device__ int64_t index(int64_t row, int64_t i) const {
    return indices_from(taken(row).total())[row * n + i];
  }
};

template <typename K>
struct Work {
  OrderedRows rows;
  Arrays<K> arrays;
  unsigned* totals;  // [rows, passes, digits]: of the whole row
  unsigned* places;  // [rows, digits, parts]: of each part; then where its next one goes
  int64_t num_rows, parts, part;  // elements of a part: a multiple of a tile
  int passes;
  bool keeps_keys;  // of the sorted rows; indices alone otherwise

  // The key of an element, in two steps as KeySource's.
  __device__ K load(int64_t row, int64_t i, int taken_before) const {
    return taken_before == 0 ? static_cast<K>(rows.bits(row, i))
                             : arrays.keys_from(taken_before)[row * arrays.n + i];
  }
  __device__ K key(K loaded, int taken_before) const {
    return taken_before == 0 ? static_cast<K>(rows.keys.key(loaded)) : loaded;
  }
  __device__ uint32_t index(int64_t row, int64_t i, int taken_before) const {
    return taken_before == 0 ? static_cast<uint32_t>(i)
                             : arrays.indices_from(taken_before)[row * arrays.n + i];
  }
  // f(row, part, begin, end), by all threads of a block.
  template <typename F>
  __device__ void for_parts(const F& f) const {
    for (int64_t at = blockIdx.x; at < num_rows * parts; at += gridDim.x) {
      const int64_t begin = at % parts * part;
      f(at / parts, at % parts, begin, begin + part < arrays.n ? begin + part : arrays.n);
    }
  }
};

template <typename K>
__device__ unsigned digit_of(K key, int pass) {
  return static_cast<unsigned>(key >> (kBits * pass)) & (kDigits - 1);
}

// Adds the digits of a thread's keys. Equal ones that follow each other are one addition: in many
// rows all keys have the same digit.
template <typename K>
__device__ void count_digits(const K (&keys)[kItems], int count, int pass, unsigned* counts) {
  unsigned run = 0, digit = 0;
#pragma unroll
  for (int j = 0; j < kItems; ++j) {
    if (j >= count) break;
    const unsigned next = digit_of(keys[j], pass);
    if (run > 0 && next != digit) {
      atomicAdd(&counts[digit], run);
      run = 0;
    }
    digit = next;
    ++run;
  }
  if (run > 0) atomicAdd(&counts[digit], run);
}

// f(keys, count) for the keys of this thread in each tile.
template <typename K, typename F>
__device__ void for_keys(const Work<K>& work, int64_t row, int64_t begin, int64_t end,
                         int taken_before, const F& f) {
  for (int64_t start = begin + threadIdx.x; start < end; start += kTile) {
    K keys[kItems];
    int count = 0;
#pragma unroll
    for (int j = 0; j < kItems; ++j) {
      const int64_t i = start + j * kThreads;
      if (i >= end) break;
      keys[j] = work.load(row, i, taken_before);
      count = j + 1;
    }
#pragma unroll
    for (int j = 0; j < kItems; ++j)
      if (j < count) keys[j] = work.key(keys[j], taken_before);
    f(keys, count);
  }
}

// The digits of whole rows, and the bits that differ.
template <typename K>
__global__ void __launch_bounds__(kThreads) survey_rows(Work<K> work) {
  __shared__ unsigned counts[kMaxPasses * kDigits];
  __shared__ unsigned long long differing;
  work.for_parts([&](int64_t row, int64_t, int64_t begin, int64_t end) {
    const int size = work.passes * kDigits;
    for (int k = static_cast<int>(threadIdx.x); k < size; k += kThreads) counts[k] = 0;
    if (threadIdx.x == 0) differing = 0;
    __syncthreads();
    const K first = work.key(work.load(row, 0, 0), 0);
    unsigned long long own = 0;
    for_keys(work, row, begin, end, 0, [&](const K(&keys)[kItems], int count) {
#pragma unroll
      for (int j = 0; j < kItems; ++j)
        if (j < count) own |= keys[j] ^ first;
      for (int pass = 0; pass < work.passes; ++pass)
        count_digits(keys, count, pass, counts + pass * kDigits);
    });
    if (own != 0) atomicOr(&differing, own);
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < size; k += kThreads)
      if (counts[k] > 0) atomicAdd(&work.totals[row * size + k], counts[k]);
    if (threadIdx.x == 0 && differing != 0) atomicOr(&work.arrays.differing[row], differing);
    __syncthreads();
  });
}

template <typename K>
__global__ void __launch_bounds__(kThreads) count_parts(Work<K> work, int pass) {
  __shared__ unsigned counts[kDigits];
  work.for_parts([&](int64_t row, int64_t part, int64_t begin, int64_t end) {
    const PassesTaken taken = work.arrays.taken(row);
    if (!taken.has(pass)) return;
    counts[threadIdx.x] = 0;
    __syncthreads();
    for_keys(work, row, begin, end, taken.before(pass),
             [&](const K(&keys)[kItems], int count) { count_digits(keys, count, pass, counts); });
    __syncthreads();
    work.places[(row * kDigits + threadIdx.x) * work.parts + part] = counts[threadIdx.x];
    __syncthreads();
  });
}

// What the lanes before this one have, in sum; total: of all lanes.
__device__ inline unsigned sum_before_lane(unsigned value, unsigned& total) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = value;
  for (unsigned reach = 1; reach < 32; reach *= 2) {
    const unsigned other = __shfl_up_sync(kAllLanes, sum, reach);
    if (lane >= reach) sum += other;
  }
  total = __shfl_sync(kAllLanes, sum, 31);
  return sum - value;
}

// What the threads before this one have, in sum. shared: a word for each warp.
__device__ inline unsigned sum_before_thread(unsigned value, unsigned* shared) {
  const unsigned warp = threadIdx.x / 32;
  unsigned total = 0, sum = sum_before_lane(value, total);
  if (threadIdx.x % 32 == 0) shared[warp] = total;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) sum += shared[w];
  return sum;
}

// A warp turns the counts of one digit in the parts of a row into places.
template <typename K>
__global__ void __launch_bounds__(kThreads) find_places(Work<K> work, int pass) {
  const int64_t lane = threadIdx.x % 32, step = static_cast<int64_t>(gridDim.x) * kWarps;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
       at < work.num_rows * kDigits; at += step) {
    const int64_t row = at / kDigits;
    if (!work.arrays.taken(row).has(pass)) continue;
    const unsigned* totals = work.totals + (row * work.passes + pass) * kDigits;
    unsigned own = 0, place = 0;  // lower digits are before
    for (int64_t d = lane; d < at % kDigits; d += 32) own += totals[d];
    sum_before_lane(own, place);
    unsigned* line = work.places + at * work.parts;
    for (int64_t start = 0; start < work.parts; start += 32) {
      const int64_t part = start + lane;
      unsigned total = 0;
      const unsigned before = sum_before_lane(part < work.parts ? line[part] : 0, total);
      if (part < work.parts) line[part] = place + before;
      place += total;
    }
  }
}

// Moves the elements of each part, a tile at a time. A tile is put in order in shared memory, so
// that neighbours are written by neighbours.
template <typename K>
__global__ void __launch_bounds__(kThreads) move_parts(Work<K> work, int pass) {
  alignas(16) __shared__ char memory[kTile * sizeof(K)];
  __shared__ unsigned counts[kWarps][kDigits], targets[kDigits], sums[kWarps];
  K* tile_keys = reinterpret_cast<K*>(memory);
  uint32_t* tile_indices = reinterpret_cast<uint32_t*>(memory);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  unsigned* own = counts[warp];
  work.for_parts([&](int64_t row, int64_t part, int64_t begin, int64_t end) {
    const PassesTaken taken = work.arrays.taken(row);
    if (!taken.has(pass)) return;
    const int before = taken.before(pass);
    const bool writes_keys = work.keeps_keys || before + 1 < taken.total();
    K* to_keys = work.arrays.keys_to(before) + row * work.arrays.n;
    uint32_t* to_indices = work.arrays.indices_to(before) + row * work.arrays.n;
    // Where the next element with the digit of this thread goes.
    unsigned place = work.places[(row * kDigits + thread) * work.parts + part];
    for (int64_t start = begin; start < end; start += kTile) {
      const int size = static_cast<int>(end - start < kTile ? end - start : kTile);
      // A warp has adjacent elements, and a lane every 32nd of them.
      const int first = warp * 32 * kItems + lane;
      for (int d = lane; d < kDigits; d += 32) own[d] = 0;
      K keys[kItems];
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        const int i = first + 32 * j;
        if (i < size) keys[j] = work.load(row, start + i, before);
      }
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        // What stands after the end of a row has the last digit, and follows all others of it.
        keys[j] = first + 32 * j < size ? work.key(keys[j], before) : static_cast<K>(~K(0));
      }
      __syncwarp();
      unsigned position[kItems];  // first among those of the warp with the same digit
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        const unsigned digit = digit_of(keys[j], pass);
        const unsigned peers = __match_any_sync(kAllLanes, digit);
        const int leader = __ffs(static_cast<int>(peers)) - 1;
        unsigned count = 0;
        if (lane == leader) {
          count = own[digit];
          own[digit] = count + static_cast<unsigned>(__popc(peers));
        }
        count = __shfl_sync(kAllLanes, count, leader);
        position[j] = count + static_cast<unsigned>(__popc(peers & ((1u << lane) - 1)));
        __syncwarp();
      }
      __syncthreads();
      unsigned total = 0;
      for (int w = 0; w < kWarps; ++w) total += counts[w][thread];
      const unsigned digit_begin = sum_before_thread(total, sums);
      targets[thread] = place - digit_begin;
      place += total;
      unsigned next = digit_begin;
      for (int w = 0; w < kWarps; ++w) {
        const unsigned count = counts[w][thread];
        counts[w][thread] = next;
        next += count;
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        position[j] += own[digit_of(keys[j], pass)];
        tile_keys[position[j]] = keys[j];
      }
      __syncthreads();
      unsigned to[kItems];
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        const int p = thread + j * kThreads;
        const K key = tile_keys[p];
        to[j] = targets[digit_of(key, pass)] + static_cast<unsigned>(p);
        if (p < size && writes_keys) to_keys[to[j]] = key;
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        const int i = first + 32 * j;
        if (i < size) tile_indices[position[j]] = work.index(row, start + i, before);
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < kItems; ++j) {
        const int p = thread + j * kThreads;
        if (p < size) to_indices[to[j]] = tile_indices[p];
      }
      __syncthreads();
    }
  });
}

template <typename K>
struct Sorted {
  Arrays<K> arrays;
  Tensor memory;
};

// Sorts rows of n elements, n <= kMaxLength, on the current stream.
template <typename K>
Sorted<K> sort_rows(const OrderedRows& rows, int key_bytes, bool keeps_keys, c10::Device device) {
  const int64_t n = rows.shape.n, num_rows = rows.shape.outer * rows.shape.inner;
  auto stream = c10::cuda::getCurrentCUDAStream(device.index());
  // Enough blocks to fill the device, each with as many tiles as the others.
  const int64_t filling = 8 * c10::cuda::device_properties(device.index()).multiProcessorCount;
  const int64_t tiles = (n + kTile - 1) / kTile;
  const int64_t allowed = std::min(tiles, std::max<int64_t>(filling / num_rows, 1));
  const int64_t part = (tiles + allowed - 1) / allowed * kTile, parts = (n + part - 1) / part;

  // One block of memory: the words of 64 bits come first, and what has to be zero.
  int64_t bytes = 0;
  auto reserve = [&](int64_t count, size_t size) {
    const int64_t at = bytes;
    bytes += (count * static_cast<int64_t>(size) + 15) / 16 * 16;
    return at;
  };
  const int64_t differing = reserve(num_rows, sizeof(unsigned long long));
  const int64_t totals = reserve(num_rows * key_bytes * kDigits, sizeof(unsigned));
  const int64_t zeros = bytes, places = reserve(num_rows * kDigits * parts, sizeof(unsigned));
  const int64_t keys[] = {reserve(num_rows * n, sizeof(K)), reserve(num_rows * n, sizeof(K))};
  const int64_t indices[] = {reserve(num_rows * n, sizeof(uint32_t)),
                             reserve(num_rows * n, sizeof(uint32_t))};
  const Tensor memory = empty_tensor({bytes}, kByte, device);
  auto* base = static_cast<char*>(memory.data_ptr());
  C10_CUDA_CHECK(cudaMemsetAsync(base, 0, static_cast<size_t>(zeros), stream));

  const Arrays<K> arrays{
      {reinterpret_cast<K*>(base + keys[0]), reinterpret_cast<K*>(base + keys[1])},
      {reinterpret_cast<uint32_t*>(base + indices[0]),
       reinterpret_cast<uint32_t*>(base + indices[1])},
      reinterpret_cast<unsigned long long*>(base + differing),
      n};
  const Work<K> work{rows,
                     arrays,
                     reinterpret_cast<unsigned*>(base + totals),
                     reinterpret_cast<unsigned*>(base + places),
                     num_rows,
                     parts,
                     part,
                     key_bytes,
                     keeps_keys};
  auto grid = [](int64_t blocks) {
    return static_cast<unsigned>(std::min<int64_t>(blocks, 0x7fffffff));
  };
  const c10::cuda::LaunchShape of_parts{grid(num_rows * parts), kThreads},
      of_digits{grid(num_rows * kDigits / kWarps), kThreads};
  c10::cuda::launch(survey_rows<K>, of_parts, stream, work);
  for (int pass = 0; pass < key_bytes; ++pass) {
    c10::cuda::launch(count_parts<K>, of_parts, stream, work, pass);
    c10::cuda::launch(find_places<K>, of_digits, stream, work, pass);
    c10::cuda::launch(move_parts<K>, of_parts, stream, work, pass);
  }
  return {arrays, memory};
}

}  // namespace at::native::radix_sort
