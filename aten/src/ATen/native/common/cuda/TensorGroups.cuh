#pragma once
// Elementwise work on lists of tensors in few launches.
//
//   TensorGroups<2, decltype(launch)> groups(launch);  // starts a kernel for a group
//   for (...) groups.add({parameter, gradient});       // of one type, dense in the same order
//   groups.flush();
//
// Note [Groups of tensors]
// ~~~~~~~~~~~~~~~~~~~~~~~~
// A launch carries the addresses of as many tensors as its arguments have room for. A block works
// on kGroupChunk elements of one tensor, which it finds by its number among the tensors' first
// blocks.

#include <array>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/Launch.h>
#include <c10/util/complex.h>

namespace at::native {

constexpr int kGroupThreads = 256;
constexpr int64_t kGroupChunk = 8192;

// A number of a tensor: on the device, or known to the host.
union GroupNumber {
  const void* on_device;
  double value;
  int64_t whole;  // of integers
};

// Depth lists of Count tensors. It is an argument of kernels, which have 4 KiB of them.
template <int Depth>
struct TensorGroup {
  static constexpr int kTensors = 3600 / (Depth * 8 + 16 + 8);
  char* data[Depth][kTensors];
  GroupNumber number[kTensors];
  int64_t numel[kTensors];
  uint32_t first_block[kTensors + 1];
  int count;
  bool is_aligned;  // all addresses are multiples of 16
  bool numbers_on_device;

  __device__ double number_of(int tensor) const {
    return numbers_on_device
               ? static_cast<double>(*static_cast<const float*>(number[tensor].on_device))
               : number[tensor].value;
  }
};

// The part of a tensor that a block works on.
struct GroupPart {
  int tensor;
  int64_t begin, end;
};
template <int Depth>
__device__ GroupPart part_of_block(const TensorGroup<Depth>& group) {
  int low = 0, high = group.count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (group.first_block[middle] <= blockIdx.x) low = middle;
    else high = middle - 1;
  }
  const int64_t begin = static_cast<int64_t>(blockIdx.x - group.first_block[low]) * kGroupChunk;
  const int64_t n = group.numel[low];
  return {low, begin, begin + kGroupChunk < n ? begin + kGroupChunk : n};
}

// An element as a kernel computes it, and as a list keeps it.
template <typename R, typename O>
__device__ R stored_element(O value) {
  if constexpr (is_complex_v<O> && !is_complex_v<R>) return static_cast<R>(value.real());
  else return static_cast<R>(value);
}

// Calls f(elements of Depth tensors), which changes those of the lists in `changed`. They are read
// as T, computed with as O, and written as R.
template <typename T, typename O, typename R = T, int Depth, typename F>
__device__ void change_elements(const TensorGroup<Depth>& group, const GroupPart& part,
                                uint32_t used, uint32_t changed, const F& f) {
  constexpr int V = 16 / sizeof(T);
  struct alignas(16) Elements {
    T value[V];
  };
  struct alignas(V * sizeof(R) < 16 ? V * sizeof(R) : 16) Results {
    R value[V];
  };
  const bool vectors = group.is_aligned;
  for (int64_t i = part.begin + static_cast<int64_t>(threadIdx.x) * V; i < part.end;
       i += kGroupThreads * V) {
    O value[V][Depth];
    const bool whole = vectors && i + V <= part.end;
    const int n = i + V <= part.end ? V : static_cast<int>(part.end - i);
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      if (!(used >> k & 1)) continue;
      const T* from = reinterpret_cast<const T*>(group.data[k][part.tensor]) + i;
      if (whole) {
        const auto elements = *reinterpret_cast<const Elements*>(from);
#pragma unroll
        for (int j = 0; j < V; ++j) value[j][k] = static_cast<O>(elements.value[j]);
      } else {
        for (int j = 0; j < n; ++j) value[j][k] = static_cast<O>(from[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < n) f(value[j]);
    }
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
      if (!(changed >> k & 1)) continue;
      R* to = reinterpret_cast<R*>(group.data[k][part.tensor]) + i;
      if (whole) {
        Results results;
#pragma unroll
        for (int j = 0; j < V; ++j) results.value[j] = stored_element<R>(value[j][k]);
        *reinterpret_cast<Results*>(to) = results;
      } else {
        for (int j = 0; j < n; ++j) to[j] = stored_element<R>(value[j][k]);
      }
    }
  }
}

// Collects tensors and starts a launch whenever a group is full, or the type or device changes.
// launch(group, shape, stream, type)
template <int Depth, typename Launch>
class TensorGroups {
 public:
  explicit TensorGroups(const Launch& launch) : launch_(launch) {}
  void add(const std::array<Tensor, Depth>& tensors) {
    add(tensors, GroupNumber{.value = 0}, false);
  }
  void add(const std::array<Tensor, Depth>& tensors, GroupNumber number, bool on_device) {
    add(tensors, number, on_device, tensors[0].numel());
  }
  // With `numel` elements, as a kernel counts them.
  void add(const std::array<Tensor, Depth>& tensors, GroupNumber number, bool on_device,
           int64_t numel) {
    const Tensor& first = tensors[0];
    if (numel == 0) return;
    const int64_t blocks = (numel + kGroupChunk - 1) / kGroupChunk;
    if (group_.count != 0 &&
        (group_.count == TensorGroup<Depth>::kTensors || first.scalar_type() != type_ ||
         first.device() != device_ || on_device != group_.numbers_on_device ||
         num_blocks_ + blocks > kMaxBlocks))
      flush();
    const int at = group_.count++;
    if (at == 0) {
      type_ = first.scalar_type();
      device_ = first.device();
      group_.is_aligned = true;
      group_.numbers_on_device = on_device;
      num_blocks_ = 0;
    }
    for (size_t k = 0; k < Depth; ++k) {
      auto* data = tensors[k].defined() ? static_cast<char*>(tensors[k].data_ptr()) : nullptr;
      group_.data[k][at] = data;
      if (reinterpret_cast<uintptr_t>(data) % 16 != 0) group_.is_aligned = false;
      // The memory of copies must not be used for others before the launch.
      kept_.push_back(tensors[k]);
    }
    group_.number[at] = number;
    group_.numel[at] = numel;
    group_.first_block[at] = static_cast<uint32_t>(num_blocks_);
    num_blocks_ += blocks;
  }
  void flush() {
    if (group_.count == 0) return;
    c10::OptionalDeviceGuard guard(device_);
    group_.first_block[group_.count] = static_cast<uint32_t>(num_blocks_);
    launch_(group_, c10::cuda::LaunchShape{static_cast<unsigned>(num_blocks_), kGroupThreads},
            static_cast<cudaStream_t>(c10::cuda::getCurrentCUDAStream(device_.index())), type_);
    group_.count = 0;
    kept_.clear();
  }

 private:
  static constexpr int64_t kMaxBlocks = (int64_t(1) << 31) - 1;
  Launch launch_;
  TensorGroup<Depth> group_{};
  std::vector<Tensor> kept_;
  c10::ScalarType type_ = c10::kFloat;
  c10::Device device_ = c10::kCPU;
  int64_t num_blocks_ = 0;
};

}  // namespace at::native
