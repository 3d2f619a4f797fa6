// empty, zeros, ones, full, their *_like and new_* forms.

#include <ATen/native/common/StructuredOutputs.h>
#include <ATen/native/factories/factories.h>
#include <ATen/native/factories/uninitialized.h>
#include <ATen/native/fill/fill.h>
#include <ATen/ops/empty_like_native.h>
#include <ATen/ops/empty_native.h>
#include <ATen/ops/empty_permuted_native.h>
#include <ATen/ops/empty_strided_native.h>
#include <ATen/ops/full_like_native.h>
#include <ATen/ops/full_native.h>
#include <ATen/ops/new_empty_native.h>
#include <ATen/ops/new_empty_strided_native.h>
#include <ATen/ops/new_full_native.h>
#include <ATen/ops/new_ones_native.h>
#include <ATen/ops/new_zeros_native.h>
#include <ATen/ops/ones_like_native.h>
#include <ATen/ops/ones_native.h>
#include <ATen/ops/scalar_tensor_native.h>
#include <ATen/ops/zeros_like_native.h>
#include <ATen/ops/zeros_native.h>

namespace at::native {

void check_factory_options(const char* op, std::optional<Layout> layout) {
  TORCH_CHECK_NOT_IMPLEMENTED(!layout || *layout == kStrided, op, ": layout ",
                              c10::toString(*layout), " is not supported; expected torch.strided");
}

DimVector preserved_strides(const Tensor& self) {
  if (self.is_non_overlapping_and_dense()) return self.strides();
  IntArrayRef sizes = self.sizes(), strides = self.strides();
  int n = static_cast<int>(sizes.size());
  // Innermost first. Broadcast dimensions (stride 0) keep their position.
  SmallVector<int, 6> order;
  for (int d = n; d-- > 0;) order.push_back(d);
  auto compare = [&](int a, int b) {
    if (strides[a] == 0 || strides[b] == 0) return 0;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    return sizes[a] > sizes[b] ? 1 : 0;
  };
  for (int i = 1; i < n; ++i) {
    int at = i;
    for (int j = i - 1; j >= 0; --j) {
      int c = compare(order[j], order[at]);
      if (c > 0) {
        std::swap(order[j], order[at]);
        at = j;
      } else if (c < 0) {
        break;
      }
    }
  }
  DimVector result(n);
  int64_t step = 1;
  for (int d : order) {
    result[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
  return result;
}

DimVector strides_in_format(const Tensor& self, MemoryFormat format) {
  if (format == MemoryFormat::Preserve)
    return self.is_contiguous() ? DimVector() : preserved_strides(self);
  return format == MemoryFormat::Contiguous ? DimVector() : strides_for(self.sizes(), format);
}

// What programs get of memory without values.
static Tensor uninitialized(const char* op, Tensor t, std::optional<bool> pin_memory) {
  return with_defined_values(in_pinned_memory(op, std::move(t), pin_memory));
}

static Tensor make(IntArrayRef size, const DimVector& strides, ScalarType dtype, Device device) {
  return strides.empty() ? empty_tensor(size, dtype, device)
                         : empty_strided_tensor(size, strides, dtype, device);
}

Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory,
             std::optional<MemoryFormat> memory_format) {
  check_factory_options("empty", layout);
  if (memory_format && *memory_format != MemoryFormat::Contiguous) {
    checked_numel(size, "empty");
    return uninitialized("empty",
                         empty_strided_tensor(size, strides_for(size, *memory_format),
                                              dtype_or_default(dtype), device_or_default(device)),
                         pin_memory);
  }
  return uninitialized(
      "empty", empty_tensor(size, dtype_or_default(dtype), device_or_default(device)), pin_memory);
}

Tensor& empty_out(IntArrayRef size, std::optional<MemoryFormat> memory_format, Tensor& out) {
  TORCH_CHECK(!memory_format || *memory_format == MemoryFormat::Contiguous,
              "empty: 'memory_format' argument is incompatible with 'out' tensor argument");
  if (out.sizes() != size) resize_contiguous(out, size, "empty");
  return out;
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
                     std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  check_factory_options("empty_strided", layout);
  return uninitialized(
      "empty_strided",
      empty_strided_tensor(size, stride, dtype_or_default(dtype), device_or_default(device)),
      pin_memory);
}

Tensor empty_permuted(IntArrayRef size, IntArrayRef physical_layout,
                      std::optional<ScalarType> dtype, std::optional<Layout> layout,
                      std::optional<Device> device, std::optional<bool> pin_memory) {
  check_factory_options("empty_permuted", layout);
  int64_t n = static_cast<int64_t>(size.size());
  TORCH_CHECK(static_cast<int64_t>(physical_layout.size()) == n,
              "empty_permuted: Number of dimensions in size does not match the length of the "
              "physical_layout; i.e. len(size) = ",
              n, " is not equal to len(physical_layout) = ", physical_layout.size());
  checked_numel(size, "empty_permuted");
  DimVector strides(n, -1);
  int64_t step = 1;
  for (int64_t k = n; k-- > 0;) {
    int64_t d = physical_layout[k];
    TORCH_CHECK(d >= 0 && d < n,
                "empty_permuted: Dimension out of range (expected to be between 0 and ", n - 1,
                ", but got ", d, " at index ", k, "). NB: negative dims not currently supported");
    TORCH_CHECK(strides[d] < 0, "empty_permuted: Duplicate dim ", d, " in physical_layout ",
                physical_layout);
    strides[d] = step;
    step *= std::max<int64_t>(size[d], 1);
  }
  return uninitialized(
      "empty_permuted",
      empty_strided_tensor(size, strides, dtype_or_default(dtype), device_or_default(device)),
      pin_memory);
}

Tensor empty_like(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  if (layout) check_factory_options("empty_like", layout);
  return uninitialized(
      "empty_like",
      make(self.sizes(), strides_in_format(self, memory_format.value_or(MemoryFormat::Preserve)),
           dtype.value_or(self.scalar_type()), device.value_or(self.device())),
      pin_memory);
}

// --- values -------------------------------------------------------------------------------------

static Tensor filled(Tensor t, const Scalar& value) {
  fill_elements(t, value);
  return t;
}

Tensor zeros(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(empty(size, dtype, layout, device, pin_memory, std::nullopt), 0);
}

Tensor ones(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
            std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(empty(size, dtype, layout, device, pin_memory, std::nullopt), 1);
}

// The type of a tensor filled with this number if no dtype is given.
static ScalarType natural_type(const Scalar& value) {
  if (value.isComplex()) return get_default_complex_dtype();
  return value.isBoolean() ? kBool : value.isFloatingPoint() ? get_default_dtype() : kLong;
}

Tensor full(IntArrayRef size, const Scalar& fill_value, std::optional<ScalarType> dtype,
            std::optional<Layout> layout, std::optional<Device> device,
            std::optional<bool> pin_memory) {
  const ScalarType type = dtype ? *dtype : natural_type(fill_value);
  return filled(empty(size, type, layout, device, pin_memory, std::nullopt), fill_value);
}

static Tensor& out_filled(const char* op, Tensor& out, IntArrayRef size, const Scalar& value) {
  if (out.sizes() != size) {
    checked_numel(size, op);
    resize_contiguous(out, size, op);
  }
  fill_elements(out, value);
  return out;
}

Tensor& zeros_out(IntArrayRef size, Tensor& out) { return out_filled("zeros", out, size, 0); }
Tensor& ones_out(IntArrayRef size, Tensor& out) { return out_filled("ones", out, size, 1); }
Tensor& full_out(IntArrayRef size, const Scalar& fill_value, Tensor& out) {
  return out_filled("full", out, size, fill_value);
}

Tensor zeros_like(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  return filled(empty_like(self, dtype, layout, device, pin_memory, memory_format), 0);
}

Tensor ones_like(const Tensor& self, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin_memory,
                 std::optional<MemoryFormat> memory_format) {
  return filled(empty_like(self, dtype, layout, device, pin_memory, memory_format), 1);
}

Tensor full_like(const Tensor& self, const Scalar& fill_value, std::optional<ScalarType> dtype,
                 std::optional<Layout> layout, std::optional<Device> device,
                 std::optional<bool> pin_memory, std::optional<MemoryFormat> memory_format) {
  return filled(empty_like(self, dtype, layout, device, pin_memory, memory_format), fill_value);
}

Tensor new_empty(const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype,
                 std::optional<Layout> layout, std::optional<Device> device,
                 std::optional<bool> pin_memory) {
  return empty(size, dtype.value_or(self.scalar_type()), layout, device.value_or(self.device()),
               pin_memory, std::nullopt);
}

Tensor new_empty_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                         std::optional<ScalarType> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin_memory) {
  return empty_strided(size, stride, dtype.value_or(self.scalar_type()), layout,
                       device.value_or(self.device()), pin_memory);
}

Tensor new_full(const Tensor& self, IntArrayRef size, const Scalar& fill_value,
                std::optional<ScalarType> dtype, std::optional<Layout> layout,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(new_empty(self, size, dtype, layout, device, pin_memory), fill_value);
}

Tensor new_zeros(const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype,
                 std::optional<Layout> layout, std::optional<Device> device,
                 std::optional<bool> pin_memory) {
  return filled(new_empty(self, size, dtype, layout, device, pin_memory), 0);
}

Tensor new_ones(const Tensor& self, IntArrayRef size, std::optional<ScalarType> dtype,
                std::optional<Layout> layout, std::optional<Device> device,
                std::optional<bool> pin_memory) {
  return filled(new_empty(self, size, dtype, layout, device, pin_memory), 1);
}

Tensor scalar_tensor(const Scalar& s, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled(empty({}, dtype, layout, device, pin_memory, std::nullopt), s);
}

}  // namespace at::native
