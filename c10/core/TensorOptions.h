#pragma once
// TensorOptions: dtype, device, layout and other properties of a new tensor, each optional.
//
//   at::zeros({2, 3}, at::TensorOptions().dtype(at::kDouble).requires_grad(true));

#include <optional>

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>

namespace c10 {

ScalarType get_default_dtype();
void set_default_dtype(ScalarType dtype);
ScalarType get_default_complex_dtype();

struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(ScalarType t) : dtype_(t) {}
  TensorOptions(Device d) : device_(d) {}
  TensorOptions(DeviceType d) : device_(Device(d)) {}
  TensorOptions(Layout l) : layout_(l) {}

  TensorOptions dtype(std::optional<ScalarType> v) const {
    auto r = *this;
    r.dtype_ = v;
    return r;
  }
  TensorOptions device(std::optional<Device> v) const {
    auto r = *this;
    r.device_ = v;
    return r;
  }
  TensorOptions device(DeviceType type, DeviceIndex index) const {
    return device(Device(type, index));
  }
  template <typename T>
  TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  TensorOptions layout(std::optional<Layout> v) const {
    auto r = *this;
    r.layout_ = v;
    return r;
  }
  TensorOptions pinned_memory(std::optional<bool> v) const {
    auto r = *this;
    r.pinned_ = v;
    return r;
  }
  TensorOptions requires_grad(bool v) const {
    auto r = *this;
    r.requires_grad_ = v;
    return r;
  }
  TensorOptions memory_format(std::optional<MemoryFormat> v) const {
    auto r = *this;
    r.format_ = v;
    return r;
  }

  ScalarType dtype() const { return dtype_ ? *dtype_ : get_default_dtype(); }
  Device device() const { return device_ ? *device_ : Device(kCPU); }
  Layout layout() const { return layout_.value_or(kStrided); }
  bool has_dtype() const { return dtype_.has_value(); }
  bool has_device() const { return device_.has_value(); }
  bool has_layout() const { return layout_.has_value(); }
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_.value_or(false); }

  std::optional<ScalarType> dtype_opt() const { return dtype_; }
  std::optional<Device> device_opt() const { return device_; }
  std::optional<Layout> layout_opt() const { return layout_; }
  std::optional<bool> pinned_memory_opt() const { return pinned_; }
  std::optional<MemoryFormat> memory_format_opt() const { return format_; }

 private:
  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  std::optional<Layout> layout_;
  std::optional<bool> pinned_;
  std::optional<MemoryFormat> format_;
  bool requires_grad_ = false;
};

inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions layout(Layout l) { return TensorOptions(l); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
inline TensorOptions memory_format(MemoryFormat f) { return TensorOptions().memory_format(f); }
template <typename T>
TensorOptions dtype() {
  return TensorOptions(CppTypeToScalarType<T>::value);
}

}  // namespace c10
