// Reduces the rows of each bag, and adds the gradients of bags to rows.
//
// Half types are summed in float.

#include <ATen/native/embedding_bag/embedding_bag.h>

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/common/TypeDispatch.h>
#include <ATen/native/common/cpu/Vec.h>
#include <ATen/native/common/cpu/WideSums.h>
#include <ATen/native/common/cpu/WideVec.h>
#include <ATen/ops/_embedding_bag_dense_backward_native.h>
#include <ATen/ops/_embedding_bag_forward_only_native.h>
#include <ATen/ops/_embedding_bag_native.h>
#include <ATen/ops/_embedding_bag_per_sample_weights_backward_native.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/contiguous.h>
#include <ATen/ops/zero_.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

namespace at::native {
namespace {

using OptionalTensor = std::optional<Tensor>;

Tensor as_int64(const Tensor& t) {
  return at::contiguous(t.scalar_type() == kLong ? t : at::_to_copy(t, kLong));
}

const int64_t* int64_data(const Tensor& t) { return static_cast<const int64_t*>(t.data_ptr()); }

// Writes numbers to a result whose type is that of the caller's indices.
void write_numbers(const Tensor& out, const std::vector<int64_t>& from) {
  auto count = std::min<size_t>(from.size(), static_cast<size_t>(out.numel()));
  if (out.scalar_type() == kLong) {
    std::copy_n(from.begin(), count, static_cast<int64_t*>(out.data_ptr()));
  } else {
    std::transform(from.begin(), from.begin() + static_cast<ptrdiff_t>(count),
                   static_cast<int32_t*>(out.data_ptr()),
                   [](int64_t v) { return static_cast<int32_t>(v); });
  }
}

// The offsets of all bags, and the end of the last one.
std::vector<int64_t> bag_ends(const Tensor& offsets, int64_t num_indices,
                              bool include_last_offset) {
  Tensor dense = as_int64(offsets);
  const int64_t* at = int64_data(dense);
  std::vector<int64_t> ends(at, at + dense.numel());
  TORCH_CHECK(ends.empty() || ends[0] == 0, "embedding_bag: offsets[0] has to be 0, but got ",
              ends.empty() ? 0 : ends[0]);
  TORCH_CHECK(ends.empty() || ends.back() <= num_indices, "embedding_bag: offsets[-1] is ",
              ends.empty() ? 0 : ends.back(), ", but there are only ", num_indices, " indices");
  TORCH_CHECK(std::is_sorted(ends.begin(), ends.end()), "embedding_bag: offsets must not decrease");
  if (!include_last_offset) ends.push_back(num_indices);
  return ends;
}

// Indices after the last offset belong to no bag: they have the number after that of the last one.
bool is_bag(int64_t bag, int64_t bags) { return bag >= 0 && bag < bags; }

void check_indices(const int64_t* indices, int64_t count, int64_t rows) {
  for (int64_t i = 0; i < count; ++i) {
    TORCH_CHECK(indices[i] >= 0 && indices[i] < rows, "embedding_bag: index ", i,
                " of the input is ", indices[i], ", which is not in the range [0, ", rows, ")");
  }
}

// The reduction of one bag.
template <typename T>
struct Bag {
  const T* table;
  int64_t rows, width;
  const int64_t* indices;
  const T* weights;  // null: all are 1
  int64_t padding_idx;

  // Returns how many rows were added.
  int64_t sum(int64_t begin, int64_t end, SumType<T>* total) const {
    if (!weights && (end - begin) / kUses >= rows) return sum_by_uses(begin, end, total);
    constexpr int64_t kLanes = Vec<SumType<T>>::size, kVectors = 8;
    int64_t j = 0;
    for (; j + kVectors * kLanes <= width; j += kVectors * kLanes)
      sum_columns<kVectors>(begin, end, j, total + j);
    for (; j + kLanes <= width; j += kLanes) sum_columns<1>(begin, end, j, total + j);
    // The last vector overlaps the one before it.
    if (j < width && width >= kLanes)
      sum_columns<1>(begin, end, width - kLanes, total + width - kLanes);
    else if (j < width) sum_few_columns(begin, end, total);
    if (padding_idx < 0) return end - begin;
    return end - begin - std::count(indices + begin, indices + end, padding_idx);
  }

  int64_t max(int64_t begin, int64_t end, SumType<T>* top, int64_t* from) const {
    std::fill_n(top, width, SumType<T>(0));
    std::fill_n(from, width, int64_t(0));
    int64_t count = 0;
    for (int64_t i = begin; i < end; ++i) {
      if (indices[i] == padding_idx) continue;
      const T* row = table + indices[i] * width;
      for (int64_t j = 0; j < width; ++j) {
        auto v = static_cast<SumType<T>>(row[j]);
        if (count == 0 || v > top[j]) {
          top[j] = v;
          from[j] = indices[i];
        }
      }
      ++count;
    }
    return count;
  }

 private:
  SumType<T> weight_of(int64_t i) const {
    return weights ? static_cast<SumType<T>>(weights[i]) : SumType<T>(1);
  }

  // A bag that is this much longer than the table multiplies each row by the number of its uses.
  static constexpr int64_t kUses = 4;
  int64_t sum_by_uses(int64_t begin, int64_t end, SumType<T>* total) const {
    using Sum = SumType<T>;
    std::vector<int64_t> uses(static_cast<size_t>(rows));
    for (int64_t i = begin; i < end; ++i) ++uses[static_cast<size_t>(indices[i])];
    int64_t added = end - begin;
    if (padding_idx >= 0 && padding_idx < rows)
      added -= std::exchange(uses[static_cast<size_t>(padding_idx)], 0);
    Widened<T> wide;
    std::fill_n(total, width, Sum(0));
    for (int64_t r = 0; r < rows; ++r) {
      const auto times = static_cast<Sum>(uses[static_cast<size_t>(r)]);
      if (times == Sum(0)) continue;
      const Sum* row = wide.read(table + r * width, width);
#pragma GCC ivdep
      for (int64_t j = 0; j < width; ++j) total[j] += times * row[j];
    }
    return added;
  }

  // The sums of some vectors of columns, which stay in registers.
  template <int count>
  void sum_columns(int64_t begin, int64_t end, int64_t column, SumType<T>* total) const {
    using V = Vec<SumType<T>>;
    V sums[count];
    for (V& sum : sums) sum = V(SumType<T>(0));
    for (int64_t i = begin; i < end; ++i) {
      if (indices[i] == padding_idx) continue;
      const T* row = table + indices[i] * width + column;
      for (int v = 0; v < count; ++v) {
        const V x = load_wide(row + v * V::size);
        sums[v] = weights ? sums[v] + V(weight_of(i)) * x : sums[v] + x;
      }
    }
    for (int v = 0; v < count; ++v) sums[v].store(total + v * V::size);
  }

  // The same for fewer columns than a vector has.
  void sum_few_columns(int64_t begin, int64_t end, SumType<T>* total) const {
    using V = Vec<SumType<T>>;
    V sum(SumType<T>(0));
    for (int64_t i = begin; i < end; ++i) {
      if (indices[i] == padding_idx) continue;
      const V x = load_wide(table + indices[i] * width, width);
      sum = weights ? sum + V(weight_of(i)) * x : sum + x;
    }
    sum.store(total, width);
  }
};

}  // namespace

static void embedding_bag_kernel(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                                 bool, int64_t mode, bool, const OptionalTensor& per_sample_weights,
                                 bool include_last_offset, int64_t padding_idx,
                                 const Tensor& output, const Tensor& offset2bag,
                                 const Tensor& bag_size, const Tensor& max_indices) {
  Tensor table = at::contiguous(weight), index = as_int64(indices), factors;
  if (per_sample_weights && per_sample_weights->defined())
    factors = at::contiguous(*per_sample_weights);
  const int64_t num_indices = index.numel(), width = table.sizes()[1], rows = table.sizes()[0];
  const std::vector<int64_t> ends = bag_ends(offsets, num_indices, include_last_offset);
  const int64_t bags = output.sizes()[0];
  if (bags > 0) check_indices(int64_data(index), num_indices, rows);

  const bool is_max = mode == static_cast<int64_t>(BagMode::Max);
  const bool is_mean = mode == static_cast<int64_t>(BagMode::Mean);
  std::vector<int64_t> counts(static_cast<size_t>(bags)), from, bag_of;
  if (is_max) from.resize(static_cast<size_t>(bags * width));
  if (offset2bag.numel() > 0) bag_of.assign(static_cast<size_t>(num_indices), bags);
  Tensor dense =
      output.is_contiguous() ? output : empty_tensor(output.sizes(), output.scalar_type());

  dispatch_types<FloatingAndReduced>(weight.scalar_type(), "embedding_bag",
                                     [&]<typename T>(TypeTag<T>) {
    using Sum = SumType<T>;
    const Bag<T> bag{static_cast<const T*>(table.data_ptr()),
                     rows,
                     width,
                     int64_data(index),
                     factors.defined() ? static_cast<const T*>(factors.data_ptr()) : nullptr,
                     padding_idx};
    T* out = static_cast<T*>(dense.data_ptr());
    const int64_t work = std::max<int64_t>(1, num_indices / std::max<int64_t>(bags, 1)) * width;
    parallel_for(0, bags, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(work, 1)),
                 [&](int64_t begin, int64_t end) {
      std::vector<Sum> buffer(std::is_same_v<T, Sum> ? 0 : static_cast<size_t>(width));
      for (int64_t b = begin; b < end; ++b) {
        const auto k = static_cast<size_t>(b);
        T* result = out + b * width;
        Sum* total;
        if constexpr (std::is_same_v<T, Sum>) {
          total = result;
        } else {
          total = buffer.data();
        }
        counts[k] = is_max ? bag.max(ends[k], ends[k + 1], total, from.data() + b * width)
                           : bag.sum(ends[k], ends[k + 1], total);
        if (is_mean && counts[k] > 0) {
          for (int64_t j = 0; j < width; ++j) total[j] /= static_cast<Sum>(counts[k]);
        }
        if constexpr (!std::is_same_v<T, Sum>) convert_run(total, result, width);
        if (!bag_of.empty()) std::fill(bag_of.begin() + ends[k], bag_of.begin() + ends[k + 1], b);
      }
    });
  });
  if (!dense.is_same(output)) copy_to_output("embedding_bag", const_cast<Tensor&>(output), dense);
  if (mode == static_cast<int64_t>(BagMode::Sum))
    counts.assign(static_cast<size_t>(bag_size.numel()), 0);
  write_numbers(offset2bag, bag_of);
  write_numbers(bag_size, counts);
  write_numbers(max_indices, is_max ? from : counts);
}

static void embedding_bag_dense_backward_kernel(const Tensor& grad, const Tensor& indices,
                                                const Tensor& offset2bag, const Tensor& bag_size,
                                                const Tensor& maximum_indices, int64_t num_weights,
                                                bool scale_grad_by_freq, int64_t mode,
                                                const OptionalTensor& per_sample_weights,
                                                int64_t padding_idx, const Tensor& output) {
  const bool is_max = mode == static_cast<int64_t>(BagMode::Max);
  const bool is_mean = mode == static_cast<int64_t>(BagMode::Mean);
  Tensor g = at::contiguous(grad), index = as_int64(is_max ? maximum_indices : indices), factors;
  Tensor bag_of = as_int64(offset2bag);
  if (per_sample_weights && per_sample_weights->defined())
    factors = at::contiguous(*per_sample_weights);
  const int64_t bags = g.sizes()[0], width = g.sizes()[1], num_indices = indices.numel();
  const int64_t *row_of = int64_data(index), *bag = int64_data(bag_of);
  Tensor sizes = mode == static_cast<int64_t>(BagMode::Sum) ? Tensor() : as_int64(bag_size);
  const int64_t* size = sizes.defined() ? int64_data(sizes) : nullptr;
  check_indices(row_of, index.numel(), is_max && bags * width == 0 ? 1 : num_weights);
  std::vector<int64_t> uses(scale_grad_by_freq ? static_cast<size_t>(num_weights) : 0);
  if (scale_grad_by_freq && !is_max) {
    for (int64_t i = 0; i < num_indices; ++i) ++uses[static_cast<size_t>(row_of[i])];
  }
  Tensor dense =
      output.is_contiguous() ? output : empty_tensor(output.sizes(), output.scalar_type());
  dispatch_types<FloatingAndReduced>(grad.scalar_type(), "embedding_bag_backward",
                                     [&]<typename T>(TypeTag<T>) {
    using Sum = SumType<T>;
    const T* from = static_cast<const T*>(g.data_ptr());
    const T* weights = factors.defined() ? static_cast<const T*>(factors.data_ptr()) : nullptr;
    T* to = static_cast<T*>(dense.data_ptr());
    // A thread owns a range of rows and looks at all indices, so that the order of the additions
    // does not depend on the number of threads.
    const int64_t work = num_weights > 0 ? width * (num_indices + num_weights) / num_weights : 1;
    parallel_for(0, num_weights, std::max<int64_t>(1, 4 * kGrainSize / std::max<int64_t>(work, 1)),
                 [&](int64_t begin, int64_t end) {
      std::vector<Sum> buffer;
      Sum* total;
      if constexpr (std::is_same_v<T, Sum>) {
        total = to + begin * width;
      } else {
        buffer.resize(static_cast<size_t>((end - begin) * width));
        total = buffer.data();
      }
      std::fill_n(total, (end - begin) * width, Sum(0));
      if (is_max) {
        for (int64_t b = 0; b < bags; ++b) {
          if (size[b] == 0) continue;
          for (int64_t j = 0; j < width; ++j) {
            int64_t row = row_of[b * width + j];
            if (row >= begin && row < end)
              total[(row - begin) * width + j] += static_cast<Sum>(from[b * width + j]);
          }
        }
      } else {
        for (int64_t i = 0; i < num_indices; ++i) {
          const int64_t row = row_of[i];
          if (row < begin || row >= end || row == padding_idx || !is_bag(bag[i], bags)) continue;
          Sum scale = weights ? static_cast<Sum>(weights[i]) : Sum(1);
          if (is_mean) scale /= static_cast<Sum>(std::max<int64_t>(size[bag[i]], 1));
          if (scale_grad_by_freq) scale /= static_cast<Sum>(uses[static_cast<size_t>(row)]);
          const T* one = from + bag[i] * width;
          Sum* at = total + (row - begin) * width;
          for (int64_t j = 0; j < width; ++j) at[j] += scale * static_cast<Sum>(one[j]);
        }
      }
      if constexpr (!std::is_same_v<T, Sum>) {
        for (int64_t k = 0; k < (end - begin) * width; ++k)
          to[begin * width + k] = static_cast<T>(total[k]);
      }
    });
  });
  if (!dense.is_same(output))
    copy_to_output("embedding_bag_backward", const_cast<Tensor&>(output), dense);
}

static void per_sample_weights_backward_kernel(const Tensor& grad, const Tensor& weight,
                                               const Tensor& indices, const Tensor& offsets,
                                               const Tensor& offset2bag, int64_t,
                                               int64_t padding_idx, const Tensor& output) {
  Tensor g = at::contiguous(grad), table = at::contiguous(weight), index = as_int64(indices);
  const int64_t num_indices = index.numel(), width = g.sizes()[1], bags = g.sizes()[0];
  const int64_t* row_of = int64_data(index);
  check_indices(row_of, num_indices, table.sizes()[0]);
  std::vector<int64_t> bag_of(static_cast<size_t>(num_indices));
  if (offset2bag.numel() > 0) {
    Tensor dense = as_int64(offset2bag);
    std::copy_n(int64_data(dense), num_indices, bag_of.begin());
  } else {
    const std::vector<int64_t> ends = bag_ends(offsets, num_indices, false);
    for (size_t b = 0; b + 1 < ends.size(); ++b)
      std::fill(bag_of.begin() + ends[b], bag_of.begin() + ends[b + 1], static_cast<int64_t>(b));
  }
  Tensor dense =
      output.is_contiguous() ? output : empty_tensor(output.sizes(), output.scalar_type());
  dispatch_types<FloatingAndReduced>(grad.scalar_type(), "embedding_bag_backward",
                                     [&]<typename T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(g.data_ptr());
    const T* rows = static_cast<const T*>(table.data_ptr());
    T* to = static_cast<T*>(dense.data_ptr());
    parallel_for(0, num_indices, std::max<int64_t>(1, kGrainSize / std::max<int64_t>(width, 1)),
                 [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        SumType<T> total = 0;
        const int64_t bag = bag_of[static_cast<size_t>(i)];
        if (row_of[i] != padding_idx && is_bag(bag, bags)) {
          const T* a = from + bag * width;
          const T* b = rows + row_of[i] * width;
          for (int64_t j = 0; j < width; ++j)
            total += static_cast<SumType<T>>(a[j]) * static_cast<SumType<T>>(b[j]);
        }
        to[i] = static_cast<T>(total);
      }
    });
  });
  if (!dense.is_same(output))
    copy_to_output("embedding_bag_backward", const_cast<Tensor&>(output), dense);
}

REGISTER_DISPATCH(_embedding_bag_stub, &embedding_bag_kernel)
REGISTER_DISPATCH(_embedding_bag_forward_only_stub, &embedding_bag_kernel)
REGISTER_DISPATCH(_embedding_bag_dense_backward_stub, &embedding_bag_dense_backward_kernel)
REGISTER_DISPATCH(_embedding_bag_per_sample_weights_backward_stub,
                  &per_sample_weights_backward_kernel)

}  // namespace at::native
