#pragma once
// What Python writes as x[1:, ..., None], in C++:
//
//   using namespace torch::indexing;
//   x.index({Slice(1, None), "...", None});
//   x.index_put_({mask}, 0);
//
// Integers, slices, None and Ellipsis return views; tensors and bools return a copy.

#include <cstdint>
#include <optional>
#include <utility>

#include <ATen/core/Tensor.h>

namespace at::indexing {

inline constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType final {};
inline constexpr EllipsisIndexType Ellipsis{};

// start:stop:step; None means the same as in Python.
struct Slice final {
  Slice(std::optional<int64_t> start = std::nullopt, std::optional<int64_t> stop = std::nullopt,
        std::optional<int64_t> step = std::nullopt);
  int64_t start() const { return start_; }
  int64_t stop() const { return stop_; }
  int64_t step() const { return step_; }

 private:
  int64_t start_, stop_, step_;
};

// One item between the brackets.
struct TensorIndex final {
  enum class Kind : uint8_t { None, Ellipsis, Integer, Boolean, Slice, Tensor };

  TensorIndex(std::nullopt_t) : kind_(Kind::None) {}
  TensorIndex(EllipsisIndexType) : kind_(Kind::Ellipsis) {}
  // "..."; any other text throws.
  TensorIndex(const char* text);
  TensorIndex(int64_t i) : kind_(Kind::Integer), integer_(i) {}
  TensorIndex(int i) : TensorIndex(static_cast<int64_t>(i)) {}
  // Accepts bool only: pointers would convert to bool.
  template <typename T, std::enable_if_t<std::is_same_v<T, bool>, bool> = true>
  TensorIndex(T on) : kind_(Kind::Boolean), integer_(on) {}
  TensorIndex(Slice slice) : kind_(Kind::Slice), slice_(slice) {}
  TensorIndex(Tensor tensor) : kind_(Kind::Tensor), tensor_(std::move(tensor)) {}

  bool is_none() const { return kind_ == Kind::None; }
  bool is_ellipsis() const { return kind_ == Kind::Ellipsis; }
  bool is_integer() const { return kind_ == Kind::Integer; }
  bool is_boolean() const { return kind_ == Kind::Boolean; }
  bool is_slice() const { return kind_ == Kind::Slice; }
  bool is_tensor() const { return kind_ == Kind::Tensor; }
  int64_t integer() const { return integer_; }
  bool boolean() const { return integer_ != 0; }
  const Slice& slice() const { return slice_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_;
  int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
};

Tensor get_item(const Tensor& self, ArrayRef<TensorIndex> indices);
// accumulate: adds to the existing values, also where an index occurs several times.
void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, const Tensor& value,
              bool accumulate = false);
void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, const Scalar& value);

}  // namespace at::indexing
