#pragma once
// TensorAccessor<T, N>: the elements of a tensor of N dimensions, for loops on the CPU.
//
// auto a = x.accessor<float, 2>();  // checks type and number of dimensions once
//   for (int64_t i = 0; i < a.size(0); ++i) sum += a[i][i];
//
// It keeps pointers into the tensor, which must outlive it; indices are not checked. A packed
// accessor copies sizes and strides instead, so that it can be passed by value.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <c10/macros/Macros.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

namespace at {

template <typename T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <typename T>
struct RestrictPtrTraits {
  using PtrType = T* C10_RESTRICT;
};

template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = int64_t>
class TensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  C10_HOST_DEVICE TensorAccessor(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  C10_HOST_DEVICE c10::ArrayRef<index_t> sizes() const { return {sizes_, N}; }
  C10_HOST_DEVICE c10::ArrayRef<index_t> strides() const { return {strides_, N}; }
  C10_HOST_DEVICE index_t size(index_t d) const { return sizes_[d]; }
  C10_HOST_DEVICE index_t stride(index_t d) const { return strides_[d]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }

  C10_HOST_DEVICE decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1) {
      return element(i);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1,
                                                          strides_ + 1);
    }
  }

 private:
  C10_HOST_DEVICE T& element(index_t i) const { return data_[strides_[0] * i]; }

  PtrType data_;
  const index_t* sizes_;
  const index_t* strides_;
};

template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits,
          typename index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  // Throws if a size or a stride does not fit into index_t.
  GenericPackedTensorAccessor(PtrType data, const int64_t* sizes, const int64_t* strides)
      : data_(data) {
    for (size_t d = 0; d < N; ++d) {
      sizes_[d] = static_cast<index_t>(sizes[d]);
      strides_[d] = static_cast<index_t>(strides[d]);
      TORCH_CHECK(sizes_[d] == sizes[d] && strides_[d] == strides[d], "packed_accessor: size ",
                  sizes[d], " and stride ", strides[d], " of dimension ", d, " do not fit into ",
                  8 * sizeof(index_t), " bits");
    }
  }
  C10_HOST_DEVICE index_t size(index_t d) const { return sizes_[d]; }
  C10_HOST_DEVICE index_t stride(index_t d) const { return strides_[d]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }

  C10_HOST_DEVICE decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }

 private:
  PtrType data_;
  index_t sizes_[N];
  index_t strides_[N];
};

template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;

}  // namespace at
