// The parameters of an elementwise kernel: sizes, addresses and strides, as the structures that
// torch/cuda/_jiterator_source.py declares.

#include <ATen/cuda/JitElementwise.h>

#include <ATen/native/common/cuda/FastDivision.cuh>

namespace at::cuda {
namespace {

constexpr int kThreads = 128, kMaxDims = 16;

struct Shape {
  int32_t ndim;
  native::FastDivision sizes[kMaxDims];
};

Shape shape_of(const TensorIteratorBase& iter) {
  TORCH_CHECK(iter.ndim() <= kMaxDims, iter.op_name(), ": operands may have up to ", kMaxDims,
              " dimensions that do not merge, got ", iter.ndim());
  Shape shape{iter.ndim(), {}};
  for (int d = 0; d < iter.ndim(); ++d)
    shape.sizes[d] = native::FastDivision(static_cast<uint32_t>(iter.shape()[d]));
  return shape;
}

// [kMaxDims][operands], in bytes.
std::vector<int64_t> strides_of(const TensorIteratorBase& iter) {
  const int n = iter.ntensors();
  std::vector<int64_t> strides(static_cast<size_t>(kMaxDims) * static_cast<size_t>(n));
  for (int d = 0; d < iter.ndim(); ++d)
    for (int k = 0; k < n; ++k) strides[static_cast<size_t>(d * n + k)] = iter.strides(k)[d];
  return strides;
}

}  // namespace

void launch_elementwise(TensorIteratorBase& iter, const std::vector<Tensor>& outputs,
                        const LoadedKernel& kernel, const std::vector<std::string>& numbers) {
  const auto stream = c10::cuda::getCurrentCUDAStream(iter.device().index());
  const char* begin = static_cast<char*>(iter.data_ptr(0));
  iter.for_each_32bit_piece([&](TensorIteratorBase& piece) {
    auto n = static_cast<uint32_t>(piece.numel());
    Shape shape = shape_of(piece);
    std::vector<char*> addresses;
    const auto offset = static_cast<char*>(piece.data_ptr(0)) - begin;
    for (const Tensor& output : outputs)
      addresses.push_back(static_cast<char*>(output.data_ptr()) + offset);
    for (int k = 1; k < piece.ntensors(); ++k)
      addresses.push_back(static_cast<char*>(piece.data_ptr(k)));
    std::vector<int64_t> strides = strides_of(piece);
    std::vector<void*> values{&n, &shape, addresses.data(), strides.data()};
    for (const std::string& number : numbers) values.push_back(const_cast<char*>(number.data()));
    kernel.launch({(n + kThreads - 1) / kThreads, kThreads}, stream, std::move(values));
  });
}

}  // namespace at::cuda
