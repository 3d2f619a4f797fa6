// The out-of-line parts of TensorImpl.

#include <c10/core/TensorImpl.h>

#include <algorithm>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/PythonTensorHooks.h>
#include <c10/util/Exception.h>
#include <c10/util/accumulate.h>

namespace c10 {

static PyObjectReleaser g_release_pyobject = nullptr;

void set_pyobject_releaser(PyObjectReleaser release) { g_release_pyobject = release; }

static impl::PythonDetach g_python_detach = nullptr;

void impl::set_python_detach(PythonDetach detach) { g_python_detach = detach; }

TensorImpl::TensorImpl(Storage storage, DispatchKeySet keys, ScalarType dtype, Device device)
    : storage_(std::move(storage)),
      keys_(keys),
      dtype_(dtype),
      device_type_(device.type()),
      device_index_(device.index()) {
  flags_ =
      kContiguous | kNonOverlappingAndDense | (impl::tls_local_state.inference ? kInference : 0);
  sas_.sizes_data()[0] = 0;
  sas_.strides_data()[0] = 1;
  sas_.resize(1);
}

TensorImpl::~TensorImpl() { release_resources(); }

void TensorImpl::release_resources() {
  // Not reachable any more while it is deleted, which may run hooks of Python.
  AutogradMetaInterface* meta = autograd_meta_;
  autograd_meta_ = nullptr;
  delete meta;
  if (pyobj_ && owns_pyobj() && g_release_pyobject) {
    _object* object = pyobj_;
    pyobj_ = nullptr;
    g_release_pyobject(object);
  }
  view_base_.reset();
  storage_ = Storage();
}

intrusive_ptr<TensorImpl> TensorImpl::shallow_copy() const {
  const DispatchKeySet python{Functionality::Python};
  if (C10_UNLIKELY(keys_.has(Functionality::Python)) && g_python_detach &&
      !impl::tls_is_dispatch_key_excluded(DispatchKey::Python)) {
    return g_python_detach(*this);
  }
  auto copy = make_intrusive<TensorImpl>(
      storage_,
      keys_ - autograd_dispatch_keyset - DispatchKeySet(Functionality::ForwardGrad) - python,
      dtype_, device());
  copy->copy_shape_of(*this);
  copy->share_version_of(*this);
  return copy;
}

void TensorImpl::copy_shape_of(const TensorImpl& other) {
  sas_.resize(other.sas_.size());
  std::copy_n(other.sas_.sizes_data(), other.sas_.size(), sas_.sizes_data());
  std::copy_n(other.sas_.strides_data(), other.sas_.size(), sas_.strides_data());
  numel_ = other.numel_;
  storage_offset_ = other.storage_offset_;
  flags_ = (flags_ & ~kShapeFlags) | (other.flags_ & (kShapeFlags | kWrappedNumber));
}

void TensorImpl::set_autograd_key(bool on) {
  keys_ = keys_ - autograd_dispatch_keyset;
  if (on) {
    keys_ = keys_.add(getAutogradKeyFromBackend((keys_ & backend_keyset).highestPriorityTypeId()));
  }
}

void TensorImpl::set_sizes_contiguous(IntArrayRef sizes) {
  sas_.resize(sizes.size());
  int64_t* to = sas_.sizes_data();
  int64_t* strides = sas_.strides_data();
  int64_t n = 1, step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    int64_t size = sizes[i];
    to[i] = size;
    strides[i] = step;
    n = wrapping_product(n, size);
    step = wrapping_product(step, size > 1 ? size : 1);
  }
  numel_ = n;
  flags_ = (flags_ & ~kShapeFlags) | kContiguous | kNonOverlappingAndDense;
  if (sizes.size() >= 4) refresh_shape_flags();
}

void TensorImpl::set_sizes_and_strides(IntArrayRef sizes, IntArrayRef strides) {
  TORCH_INTERNAL_ASSERT(sizes.size() == strides.size());
  sas_.resize(sizes.size());
  std::copy(sizes.begin(), sizes.end(), sas_.sizes_data());
  std::copy(strides.begin(), strides.end(), sas_.strides_data());
  numel_ = 1;
  for (int64_t s : sizes) numel_ *= s;
  refresh_shape_flags();
}

// Whether the dimensions in this order, innermost first, cover memory without gaps. Dimensions of
// size 1 may have any stride.
static bool dense_in_order(const int64_t* sizes, const int64_t* strides, const int* order, int n) {
  int64_t expected = 1;
  for (int k = 0; k < n; ++k) {
    int d = order[k];
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

// A channels-last tensor has strides that decrease in the order N, H, W, C. Unlike contiguity, this
// also requires matching strides of dimensions of size 1, so that NCHW with C == 1 is not mistaken.
static bool strides_like_channels_last(const int64_t* sizes, const int64_t* strides,
                                       const int* order, int n) {
  int64_t min = 0;
  if (strides[1] == 0) return false;
  for (int k = 0; k < n; ++k) {
    int d = order[k];
    if (sizes[d] == 0 || strides[d] < min) return false;
    if (d == 0 && min == strides[1]) return false;
    min = strides[d];
    if (sizes[d] > 1) min *= sizes[d];
  }
  return true;
}

static constexpr int kOrder4[] = {1, 3, 2, 0};
static constexpr int kOrder5[] = {1, 4, 3, 2, 0};

void TensorImpl::refresh_shape_flags() {
  int n = static_cast<int>(sas_.size());
  const int64_t* sizes = sas_.sizes_data();
  const int64_t* strides = sas_.strides_data();
  uint16_t flags = 0;
  bool contiguous = true;
  if (numel_ != 0) {
    int64_t expected = 1;
    for (int d = n; d-- > 0;) {
      if (sizes[d] == 1) continue;
      if (strides[d] != expected) {
        contiguous = false;
        break;
      }
      expected *= sizes[d];
    }
  }
  if (contiguous) flags |= kContiguous | kNonOverlappingAndDense;
  if (n == 4 && dense_in_order(sizes, strides, kOrder4, 4))
    flags |= kChannelsLast | kNonOverlappingAndDense;
  if (n == 5 && dense_in_order(sizes, strides, kOrder5, 5))
    flags |= kChannelsLast3d | kNonOverlappingAndDense;
  if (!(flags & kNonOverlappingAndDense)) {
    // Sort dimensions by stride; dense means that each stride is the product of the smaller ones.
    SmallVector<int, 8> order;
    for (int d = 0; d < n; ++d) {
      if (sizes[d] != 1) order.push_back(d);
    }
    std::sort(order.begin(), order.end(), [&](int a, int b) { return strides[a] < strides[b]; });
    if (dense_in_order(sizes, strides, order.data(), static_cast<int>(order.size()))) {
      flags |= kNonOverlappingAndDense;
    }
  }
  flags_ = (flags_ & ~kShapeFlags) | flags;
}

bool TensorImpl::is_contiguous(MemoryFormat format) const {
  switch (format) {
    case MemoryFormat::ChannelsLast:
      return flags_ & kChannelsLast;
    case MemoryFormat::ChannelsLast3d:
      return flags_ & kChannelsLast3d;
    default:
      return is_contiguous();
  }
}

bool TensorImpl::is_strides_like(MemoryFormat format) const {
  if (format == MemoryFormat::ChannelsLast && dim() == 4) {
    return strides_like_channels_last(sas_.sizes_data(), sas_.strides_data(), kOrder4, 4);
  }
  if (format == MemoryFormat::ChannelsLast3d && dim() == 5) {
    return strides_like_channels_last(sas_.sizes_data(), sas_.strides_data(), kOrder5, 5);
  }
  return false;
}

int64_t checked_numel(IntArrayRef sizes, const char* op) {
  int64_t n = 1;
  bool overflow = false;
  for (int64_t size : sizes) {
    TORCH_CHECK(size >= 0, op, ": Trying to create tensor with negative dimension ", size, ": ",
                to_string(sizes));
    overflow |= __builtin_mul_overflow(n, size, &n);
  }
  if (overflow) {
    // A size of 0 makes the product 0 whatever the other sizes are, but their strides still
    // overflow.
    TORCH_CHECK(false, op, ": the number of elements of sizes ", to_string(sizes),
                " overflows: Storage size calculation overflowed");
  }
  return n;
}

size_t checked_nbytes(IntArrayRef sizes, IntArrayRef strides, int64_t offset, size_t itemsize,
                      const char* op) {
  int64_t last = offset;
  bool overflow = false, empty = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) {
      empty = true;
      continue;
    }
    int64_t step;
    overflow |= __builtin_mul_overflow(sizes[i] - 1, strides[i], &step);
    overflow |= __builtin_add_overflow(last, step, &last);
  }
  if (empty) return 0;
  int64_t bytes;
  overflow |= __builtin_add_overflow(last, 1, &last);
  overflow |= __builtin_mul_overflow(last, static_cast<int64_t>(itemsize), &bytes);
  TORCH_CHECK(!overflow, op, ": Storage size calculation overflowed with sizes=", to_string(sizes),
              " and strides=", to_string(strides));
  return static_cast<size_t>(bytes);
}

void TensorImpl::check_storage_reaches() const {
  if (numel() == 0) return;
  TORCH_CHECK_NOT_IMPLEMENTED(!device().is_meta(),
                              "Cannot read or write a meta tensor; it has no data, only sizes ",
                              sizes(), " and a type. Give the operator tensors of one device");
  TORCH_CHECK(!keys_.has(Functionality::FuncTorchBatched), "vmap: this tensor of sizes ", sizes(),
              " stands for all examples of a batch and has "
              "no memory of its own. Its elements cannot be read; compute with it instead.");
  TORCH_CHECK(!keys_.has(Functionality::Functionalize), "functionalization: this tensor of sizes ",
              sizes(),
              " holds another one and has no memory of its own. Its elements cannot be read "
              "here; compute with it, or take torch._from_functional_tensor of it.");
  TORCH_CHECK(!keys_.has(Functionality::Python) || storage_.data(), "this tensor of sizes ",
              sizes(),
              " wraps others and has no memory of its own. An operator reached it that its "
              "class's __torch_dispatch__ did not answer");
  int64_t last = storage_offset_;
  for (int64_t d = 0; d < dim(); ++d) last += (sizes()[d] - 1) * strides()[d];
  size_t needed = static_cast<size_t>(last + 1) * itemsize();
  TORCH_CHECK(needed <= storage_.nbytes(), "a tensor of sizes ", sizes(), " and strides ",
              strides(), " needs ", needed, " bytes of its storage, which was resized to ",
              storage_.nbytes());
}

}  // namespace c10
