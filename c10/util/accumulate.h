#pragma once
// Sums and products of lists of integers, in 64 bits.

#include <cstdint>
#include <iterator>

namespace c10 {

template <typename It>
int64_t sum_integers(It begin, It end) {
  int64_t sum = 0;
  for (; begin != end; ++begin) sum += *begin;
  return sum;
}
template <typename C>
int64_t sum_integers(const C& list) {
  return sum_integers(std::begin(list), std::end(list));
}
// For strides of empty tensors, which are never used: a product that does not fit wraps.
inline int64_t wrapping_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <typename It>
int64_t multiply_integers(It begin, It end) {
  int64_t product = 1;
  for (; begin != end; ++begin) product *= *begin;
  return product;
}
template <typename C>
int64_t multiply_integers(const C& list) {
  return multiply_integers(std::begin(list), std::end(list));
}
// The number of elements from dimension k on, and up to it.
template <typename C>
int64_t numelements_from_dim(int k, const C& dims) {
  return k > static_cast<int>(dims.size()) ? 1 : multiply_integers(dims.begin() + k, dims.end());
}
template <typename C>
int64_t numelements_to_dim(int k, const C& dims) {
  return multiply_integers(dims.begin(), dims.begin() + k);
}

}  // namespace c10
