#pragma once
// TensorImpl: a tensor: a storage, its geometry, and data attached by autograd and Python.
//
// Kinds of tensors that hold more (sparse, nested, wrapper tensors) derive from it and declare it
// through their dispatch keys. Only cold paths use virtual functions: what a plain tensor answers
// on every call is state.

#include <c10/core/DispatchKeySet.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/SizesAndStrides.h>

struct _object;  // PyObject

namespace c10 {

// Autograd's data of a tensor; only torch/csrc/autograd knows its contents.
struct AutogradMetaInterface {
  virtual ~AutogradMetaInterface() = default;
};

// How a view was made, which decides whether it may be changed in place.
enum class CreationMeta : uint8_t {
  Default,
  InCustomFunction,
  MultiOutputNode,
  NoGradMode,
  InferenceMode
};

struct TensorImpl : intrusive_ptr_target {
  TensorImpl(Storage storage, DispatchKeySet keys, ScalarType dtype, Device device);
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;
  ~TensorImpl() override;

  // A tensor with the same storage, sizes, strides and type, without history. Derived types return
  // one of their own type.
  virtual intrusive_ptr<TensorImpl> shallow_copy() const;
  virtual const char* tensorimpl_type_name() const { return "TensorImpl"; }

  // --- shape -------------------------------------------------------------------------------
  IntArrayRef sizes() const { return sas_.sizes(); }
  IntArrayRef strides() const { return sas_.strides(); }
  int64_t dim() const { return static_cast<int64_t>(sas_.size()); }
  int64_t numel() const { return numel_; }
  int64_t storage_offset() const { return storage_offset_; }
  bool is_contiguous() const { return flags_ & kContiguous; }
  bool is_contiguous(MemoryFormat format) const;
  bool is_non_overlapping_and_dense() const { return flags_ & kNonOverlappingAndDense; }
  bool is_strides_like(MemoryFormat format) const;
  void set_storage_offset(int64_t offset) { storage_offset_ = offset; }
  // Sets sizes with contiguous strides. The caller must check the sizes (see checked_numel).
  void set_sizes_contiguous(IntArrayRef sizes);
  void set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides);

  // --- elements ----------------------------------------------------------------------------
  ScalarType dtype() const { return dtype_; }
  size_t itemsize() const { return elementSize(dtype_); }
  Device device() const { return Device(device_type_, device_index_); }
  DeviceType device_type() const { return device_type_; }
  DispatchKeySet key_set() const { return keys_; }
  Layout layout() const { return layout_; }
  const Storage& storage() const { return storage_; }
  bool has_storage() const { return static_cast<bool>(storage_); }
  void set_storage(Storage storage) { storage_ = std::move(storage); }
  // Throws if there is no memory: a meta tensor, or a storage that was shrunk.
  void* data() const {
    if (C10_UNLIKELY(storage_.guarded())) check_storage_reaches();
    // The offset of a tensor without elements may lie anywhere.
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(storage_.data()) +
                                   static_cast<uintptr_t>(storage_offset_) * itemsize());
  }
  void set_dtype(ScalarType dtype) { dtype_ = dtype; }
  void set_device(Device device) {
    device_type_ = device.type();
    device_index_ = device.index();
  }
  void set_keys(DispatchKeySet keys) { keys_ = keys; }

  // --- flags -------------------------------------------------------------------------------
  // A Python number converted to a tensor: it takes part in type promotion as a number.
  bool is_wrapped_number() const { return flags_ & kWrappedNumber; }
  void set_wrapped_number(bool on) { set_flag(kWrappedNumber, on); }
  bool is_inference() const { return flags_ & kInference; }
  void set_inference(bool on) { set_flag(kInference, on); }
  // The memory holds the conjugates, or the negatives, of the elements: Note [Lazy conjugates].
  bool is_conj() const { return keys_.has(Functionality::Conjugate); }
  bool is_neg() const { return keys_.has(Functionality::Negative); }

  // --- version, Note [Version counters] ----------------------------------------------------
  struct OwnVersion : intrusive_ptr_target {
    uint32_t count = 0;
  };
  uint32_t version() const {
    return own_version_ ? own_version_->count
           : storage_   ? storage_.unsafeGetStorageImpl()->version.load(std::memory_order_relaxed)
                        : 0;
  }
  void bump_version() {
    if (own_version_) {
      ++own_version_->count;
    } else if (storage_) {
      // Concurrent writers of one tensor race for its data anyway: the count may be inexact.
      auto& v = storage_.unsafeGetStorageImpl()->version;
      v.store(v.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
  void share_version_of(const TensorImpl& other) {
    if (C10_UNLIKELY(other.own_version_.defined())) own_version_ = other.own_version_;
  }
  // Views made from this tensor from now on share the counter.
  void set_version_of_its_own() { own_version_ = make_intrusive<OwnVersion>(); }

  // --- autograd ----------------------------------------------------------------------------
  AutogradMetaInterface* autograd_meta() const { return autograd_meta_; }
  // For a tensor that has none yet; the tensor deletes it.
  void set_autograd_meta(AutogradMetaInterface* meta) { autograd_meta_ = meta; }
  // Whether calls with this tensor go through autograd's kernels.
  bool has_autograd_key() const { return (keys_ & autograd_dispatch_keyset) != DispatchKeySet(); }
  void set_autograd_key(bool on);
  // Note [Views and their bases]
  // A view records the tensor whose memory it shares (never itself a view), so that a change of
  // either reaches the history of both. It carries the autograd key from the start, since its base
  // may require grad later.
  TensorImpl* view_base() const { return view_base_.get(); }
  void set_view_base(intrusive_ptr<TensorImpl> base, CreationMeta how) {
    view_base_ = std::move(base);
    creation_meta_ = how;
    view_version_ = version();
    set_autograd_key(true);
  }
  void drop_view_base() { view_base_.reset(); }
  // The version at which this view's history last matched its base's.
  uint32_t view_version() const { return view_version_; }
  void set_view_version(uint32_t version) { view_version_ = version; }
  CreationMeta creation_meta() const { return creation_meta_; }
  void set_creation_meta(CreationMeta how) { creation_meta_ = how; }

  // --- Python ------------------------------------------------------------------------------
  // The Python object of this tensor. The object owns the tensor; if the object carries state that
  // must outlive Python's last reference, the tensor owns the object instead.
  _object* pyobj() const { return pyobj_; }
  bool owns_pyobj() const { return flags_ & kOwnsPyobj; }
  void set_pyobj(_object* object, bool owned) {
    pyobj_ = object;
    set_flag(kOwnsPyobj, owned);
  }

 protected:
  void set_layout(Layout layout) { layout_ = layout; }
  // Copies sizes, strides and flags from another tensor, for shallow copies.
  void copy_shape_of(const TensorImpl& other);
  void release_resources() override;

 private:
  void check_storage_reaches() const;
  enum Flags : uint16_t {
    kContiguous = 1,
    kChannelsLast = 2,
    kChannelsLast3d = 4,
    kNonOverlappingAndDense = 8,
    kWrappedNumber = 16,
    kInference = 32,
    kOwnsPyobj = 64,
  };
  static constexpr uint16_t kShapeFlags =
      kContiguous | kChannelsLast | kChannelsLast3d | kNonOverlappingAndDense;

  void set_flag(Flags flag, bool on) { flags_ = on ? (flags_ | flag) : (flags_ & ~flag); }
  void refresh_shape_flags();

  Storage storage_;
  DispatchKeySet keys_;
  int64_t numel_ = 0;
  int64_t storage_offset_ = 0;
  ScalarType dtype_;
  DeviceType device_type_;
  DeviceIndex device_index_;
  CreationMeta creation_meta_ = CreationMeta::Default;
  Layout layout_ = Layout::Strided;
  uint16_t flags_ = 0;
  uint32_t view_version_ = 0;
  impl::SizesAndStrides sas_;
  AutogradMetaInterface* autograd_meta_ = nullptr;
  intrusive_ptr<TensorImpl> view_base_;
  intrusive_ptr<OwnVersion> own_version_;
  _object* pyobj_ = nullptr;
};

// The Python layer's function that releases a Python object owned by a tensor.
using PyObjectReleaser = void (*)(_object*);
void set_pyobject_releaser(PyObjectReleaser release);

// The number of elements; throws if a size is negative or the product overflows int64. `op` is the
// operator's name in the message.
int64_t checked_numel(IntArrayRef sizes, const char* op);
// The bytes that a storage needs for these sizes and strides; throws on overflow.
size_t checked_nbytes(IntArrayRef sizes, IntArrayRef strides, int64_t offset, size_t itemsize,
                      const char* op);

}  // namespace c10
