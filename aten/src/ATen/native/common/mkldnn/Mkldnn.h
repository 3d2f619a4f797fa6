#pragma once
// Shared by the files of libtorch_mkldnn: engine, stream, and the cache of primitives.

#include <dnnl.hpp>

#include <list>
#include <unordered_map>
#include <vector>

#include <ATen/native/common/NativeLibraries.h>

namespace at::native::mkldnn {

dnnl::engine& engine();
dnnl::stream& stream();  // this thread's

// Held while a primitive is created: see native_library_mutex().
std::unique_lock<std::mutex> lock_creation();
// Initializes what oneDNN creates on first use: its product of float matrices is generated code.
// Takes the lock above.
void warm_up();

dnnl::memory::data_type data_type(ScalarType t);

// The parameters of a primitive, as a list of numbers.
struct Key {
  std::vector<int64_t> words;
  bool operator==(const Key& o) const { return words == o.words; }
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int64_t w : k.words)
      h = (h ^ static_cast<uint64_t>(w)) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    return h;
  }
};

// Evicts the least recently used entry when the cache is full. Each thread has its own cache.
template <typename V>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}
  V* find(const Key& key) {
    auto it = index_.find(key);
    if (it == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, it->second);
    return &it->second->second;
  }
  V& insert(Key key, V value) {
    if (order_.size() >= capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    order_.emplace_front(key, std::move(value));
    index_.emplace(std::move(key), order_.begin());
    return order_.front().second;
  }

 private:
  size_t capacity_;
  std::list<std::pair<Key, V>> order_;
  std::unordered_map<Key, typename std::list<std::pair<Key, V>>::iterator, KeyHash> index_;
};

constexpr size_t kCacheCapacity = 1024;

void sgemm(const GemmArgs& args);
bool matmul(const GemmArgs& args, bool create);
bool batched_matmul(const GemmArgs& first, const GemmBatch& batch);
void int8_gemm(const GemmArgs& args);
bool has_type(ScalarType dtype);
Tensor convolution(const ConvolutionArgs& args);
std::tuple<Tensor, Tensor, Tensor> convolution_backward(const ConvolutionArgs& args,
                                                        const Tensor& grad_output,
                                                        std::array<bool, 3> mask);

}  // namespace at::native::mkldnn
