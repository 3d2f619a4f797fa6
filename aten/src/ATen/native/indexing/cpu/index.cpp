// Elements at byte offsets: operands for the loops of cpu/index_kernel.cpp.

#include <ATen/Parallel.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/native/indexing/index_plan.h>
#include <ATen/native/indexing/indexing.h>

namespace at::native {
namespace {

TensorIterator index_iterator(const char* op, const Tensor& out, const Tensor& in,
                              const Tensor& offsets) {
  return TensorIteratorConfig(op)
      .add_output(out)
      .add_input(in)
      .add_input(offsets)
      .check_all_same_dtype(false)
      .resize_outputs(false)
      .set_check_mem_overlap(false)
      .build();
}

}  // namespace

static void index_elements_kernel(const Tensor& result, const Tensor& indexed,
                                  const Tensor& offsets) {
  auto iter = index_iterator("index", result, indexed, offsets);
  index_stub(kCPU, iter);
}

static void index_put_elements_kernel(const Tensor& indexed, const Tensor& values,
                                      const Tensor& offsets) {
  auto iter = index_iterator("index_put_", indexed, values, offsets);
  index_put_stub(kCPU, iter);
}

// Adds where offsets repeat. Threads divide the largest dimension that is not an index dimension,
// so that no two of them write to the same element.
static void accumulate_elements_kernel(const Tensor& indexed, const Tensor& values,
                                       const Tensor& offsets, IntArrayRef strides) {
  int64_t split = -1, rank = indexed.dim();
  for (int64_t d = 0; d < rank; ++d) {
    bool is_index = strides[d] == 0;
    if (!is_index && (split < 0 || indexed.sizes()[d] > indexed.sizes()[split])) split = d;
  }
  int64_t pieces = split < 0 || indexed.numel() < kGrainSize
                       ? 1
                       : std::min<int64_t>(get_num_threads(), indexed.sizes()[split] / 8);
  if (pieces <= 1) {
    auto iter = index_iterator("index_put_", indexed, values, offsets);
    index_put_accumulate_stub(kCPU, iter);
    return;
  }
  int64_t each = divup(indexed.sizes()[split], pieces);
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t from = k * each, n = std::min(each, indexed.sizes()[split] - from);
      if (n <= 0) continue;
      auto part = [&](const Tensor& t) {
        auto impl = t.unsafeGetTensorImpl()->shallow_copy();
        DimVector sizes(t.sizes());
        sizes[split] = n;
        impl->set_sizes_and_strides(sizes, t.strides());
        impl->set_storage_offset(t.storage_offset() + from * t.strides()[split]);
        return Tensor(std::move(impl));
      };
      Tensor to = part(indexed), what = part(values);
      auto iter = index_iterator("index_put_", to, what, offsets);
      index_put_accumulate_stub(kCPU, iter);
    }
  });
}

REGISTER_ALL_CPU_DISPATCH(index_elements_stub, &index_elements_kernel)
REGISTER_ALL_CPU_DISPATCH(index_put_elements_stub, &index_put_elements_kernel)
REGISTER_ALL_CPU_DISPATCH(accumulate_elements_stub, &accumulate_elements_kernel)

}  // namespace at::native
