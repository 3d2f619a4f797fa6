// Builds iterators: promotes types, broadcasts, reorders and merges dimensions, allocates outputs.

#include <ATen/native/common/TensorIterator.h>

#include <algorithm>

#include <ATen/native/common/MemoryOverlap.h>
#include <ATen/native/common/TypePromotion.h>
#include <ATen/native/common/ViewUtils.h>
#include <ATen/ops/copy__ops.h>

namespace at {

OperandInfo& TensorIteratorBase::OperandList::add() {
  if (n < kInline && rest.empty()) return inline_[n++];
  if (rest.empty()) {
    for (OperandInfo& o : inline_) rest.push_back(std::move(o));
  }
  ++n;
  return rest.emplace_back();
}

void TensorIteratorBase::add_operand(TensorImpl* impl, bool output) {
  OperandInfo& o = operands_.add();
  o.impl = impl;
  o.is_output = output;
  if (impl) {
    o.dtype = impl->dtype();
    TORCH_INTERNAL_ASSERT(!impl->is_conj() && !impl->is_neg(), op_,
                          ": an operand has lazy bits, and its memory holds other numbers than its "
                          "elements");
  }
  num_outputs_ += output;
}

void TensorIteratorBase::add_input_tensor(const Tensor& t) {
  TORCH_CHECK(t.defined(), op_, ": argument ", operands_.size() - num_outputs_,
              " is an undefined tensor");
  add_operand(t.unsafeGetTensorImpl(), false);
}

// --- builders ---------------------------------------------------------------------------------

void TensorIteratorBase::build_binary_op(const Tensor& a, const Tensor& b) {
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  build(kPromote | kCastOutput);
}

void TensorIteratorBase::build_binary_float_op(const Tensor& a, const Tensor& b) {
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  build(kPromote | kIntToFloat | kCastOutput);
}

void TensorIteratorBase::build_binary_opmath_op(const Tensor& a, const Tensor& b) {
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  build(kPromote | kOpmathScalars | kCastOutput);
}

void TensorIteratorBase::build_binary_opmath_float_op(const Tensor& a, const Tensor& b) {
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  build(kPromote | kOpmathScalars | kIntToFloat | kCastOutput);
}

void TensorIteratorBase::build_comparison_op(const Tensor& a, const Tensor& b) {
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  build(kPromote | kBoolOutput | kCastOutput);
}

void TensorIteratorBase::build_unary_op(const Tensor& a) {
  TORCH_CHECK(form_ == OutputForm::functional || outputs_[0].scalar_type() == a.scalar_type(), op_,
              ": Found dtype ", toString(outputs_[0].scalar_type()), " but expected ",
              toString(a.scalar_type()));
  add_result(0);
  add_input_tensor(a);
  build(kPromote | kCastOutput);
}

void TensorIteratorBase::force_result(ScalarType result) {
  TORCH_CHECK(form_ == OutputForm::functional || canCast(result, outputs_[0].scalar_type()), op_,
              ": result type ", toString(result), " can't be cast to the desired output type ",
              toString(outputs_[0].scalar_type()));
  forced_output_dtype_ = result;
}

void TensorIteratorBase::build_unary_op_to(const Tensor& a, ScalarType result) {
  if (a.scalar_type() == result) {
    add_result(0);
    add_input_tensor(a);
    return build(kPromote | kCastOutput);
  }
  force_result(result);
  add_result(0);
  add_input_tensor(a);
  build(kNoSameDtypeCheck);
}

void TensorIteratorBase::build_mixed_op_to(const Tensor& a, const Tensor& b, ScalarType result) {
  force_result(result);
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  build(kNoSameDtypeCheck);
}

void TensorIteratorBase::build_unary_float_op(const Tensor& a) {
  add_result(0);
  add_input_tensor(a);
  build(kPromote | kIntToFloat | kCastOutput);
}

void TensorIteratorBase::build_unary_force_boolean_op(const Tensor& a) {
  add_result(0);
  add_input_tensor(a);
  build(kPromote | kBoolOutput | kCastOutput);
}

void TensorIteratorBase::build_unary_complex_to_real_op(const Tensor& a) {
  if (!a.is_complex()) return build_unary_op(a);
  TORCH_CHECK(form_ != OutputForm::inplace, "In-place ", op_,
              " is not supported for complex tensors: its values are real");
  add_result(0);
  add_input_tensor(a);
  build(kPromote | kRealOutput | kCastOutput);
}

void TensorIteratorBase::build_unary_complex_to_real_float_op(const Tensor& a) {
  add_result(0);
  add_input_tensor(a);
  build(kPromote | kIntToFloat | kRealOutput | kCastOutput);
}

void TensorIteratorBase::build_ternary_op(const Tensor& a, const Tensor& b, const Tensor& c) {
  add_result(0);
  add_input_tensor(a);
  add_input_tensor(b);
  add_input_tensor(c);
  build(kPromote | kCastOutput);
}

void TensorIteratorBase::build_nullary_op() {
  add_result(0);
  build(kNoSameDtypeCheck | kNoResize);
}

// --- build ------------------------------------------------------------------------------------

void TensorIteratorBase::build(uint32_t rules) {
  if (build_trivial(rules)) return;
  compute_device();
  compute_types(rules);
  compute_shape(rules);
  make_outputs(rules);
  if (!(rules & kNoOverlapCheck)) check_overlap();
  compute_strides(rules);
  if (!(rules & kNoReorder)) {
    reorder();
    coalesce();
  }
}

// Note [The trivial case]. Nothing may be changed before the case is known to be trivial.
bool TensorIteratorBase::build_trivial(uint32_t rules) {
  constexpr uint32_t kKnown = kPromote | kIntToFloat | kBoolOutput | kCastOutput | kOpmathScalars;
  if ((rules & ~kKnown) || operands_.n > OperandList::kInline || num_outputs_ != 1 ||
      operands_.n < 2)
    return false;
  OperandInfo* op = operands_.inline_;
  TensorImpl* first = op[1].impl;
  ScalarType dtype = first->dtype();
  if (!first->is_contiguous() || first->device_type() != kCPU) return false;
  if ((rules & kIntToFloat) && !isFloatingType(dtype) && !isComplexType(dtype)) return false;
  IntArrayRef sizes = first->sizes();
  for (int i = 2; i < operands_.n; ++i) {
    TensorImpl* t = op[i].impl;
    if (t->dtype() != dtype || !t->is_contiguous() || t->device_type() != kCPU ||
        t->sizes() != sizes || t->is_wrapped_number() != first->is_wrapped_number()) {
      return false;
    }
  }
  ScalarType result = (rules & kBoolOutput) ? kBool : dtype;
  if (form_ == OutputForm::functional) {
    // A view like x.expand(1, 3) may count as contiguous with odd strides; new results have plain
    // ones.
    outputs_[0] = empty_tensor(sizes, result);
    op[0].impl = outputs_[0].unsafeGetTensorImpl();
  } else {
    TensorImpl* out = op[0].impl;
    if (out->dtype() != result || !out->is_contiguous() || out->device_type() != kCPU ||
        out->sizes() != sizes)
      return false;
    for (int i = 1; i < operands_.n; ++i) {
      // Sharing storage is fine if all elements coincide.
      TensorImpl* t = op[i].impl;
      if (t != out && t->storage().is_alias_of(out->storage()) &&
          t->storage_offset() != out->storage_offset())
        return false;
    }
  }
  op[0].dtype = result;
  common_dtype_ = dtype;
  numel_ = first->numel();
  shape_.push_back(numel_);
  for (int i = 0; i < operands_.n; ++i) {
    op[i].data = static_cast<char*>(op[i].impl->data());
    op[i].stride_bytes.push_back(static_cast<int64_t>(elementSize(op[i].dtype)));
  }
  return true;
}

void TensorIteratorBase::make_dense(OperandInfo& operand, const Tensor& memory) const {
  operand.data = static_cast<char*>(memory.data_ptr());
  operand.impl = memory.unsafeGetTensorImpl();
  operand.dtype = memory.scalar_type();
  int64_t stride = static_cast<int64_t>(memory.itemsize());
  operand.stride_bytes.clear();
  for (int64_t size : shape_) {
    operand.stride_bytes.push_back(stride);
    stride *= size;
  }
}

void TensorIteratorBase::set_pair(const TensorIteratorBase& other, const OperandInfo& to,
                                  const OperandInfo& from) {
  shape_ = other.shape_;
  numel_ = other.numel_;
  device_ = other.device_;
  num_outputs_ = 1;
  operands_.add() = to;
  operands_.add() = from;
}

void TensorIteratorBase::for_each_32bit_piece(c10::function_ref<void(TensorIteratorBase&)> f) {
  if (numel_ <= INT32_MAX) return f(*this);
  const auto largest = std::max_element(shape_.begin(), shape_.end()) - shape_.begin();
  const int64_t size = shape_[largest], half = size / 2, numel = numel_;
  SmallVector<char*, 4> data;
  for (const OperandInfo& o : operands_) data.push_back(o.data);
  for (const auto& [begin, length] : {std::pair{int64_t{0}, half}, std::pair{half, size - half}}) {
    shape_[largest] = length;
    numel_ = numel / size * length;
    for (int k = 0; k < ntensors(); ++k)
      operands_[k].data = data[k] + begin * operands_[k].stride_bytes[largest];
    for_each_32bit_piece(f);
  }
  shape_[largest] = size;
  numel_ = numel;
  for (int k = 0; k < ntensors(); ++k) operands_[k].data = data[k];
}

void TensorIteratorBase::compute_device() {
  // The device is that of the first tensor other than a CPU number; CPU numbers may join any
  // device.
  bool found = false;
  for (OperandInfo& o : operands_) {
    if (!o.impl) continue;
    if (o.impl->dim() == 0 && o.impl->device_type() == kCPU && !o.is_output) continue;
    if (!found) {
      device_ = o.impl->device();
      found = true;
    } else if (o.impl->device() != device_) {
      TORCH_CHECK(
          false, op_,
          ": Expected all tensors to be on the same device, but found at least two devices, ",
          device_, " and ", o.impl->device(), "!");
    }
  }
  if (!found) {
    for (OperandInfo& o : operands_) {
      if (o.impl) device_ = o.impl->device();
    }
  }
  // CPU numbers may join an input on another device, but not an output there.
  for (int i = 0; i < num_outputs_ && !device_.is_cpu() && form_ == OutputForm::out; ++i) {
    bool joins = ninputs() == 0;
    for (int j = num_outputs_; j < ntensors(); ++j) joins |= operands_[j].impl->device() == device_;
    TORCH_CHECK(joins, op_, ": Expected out tensor to have device cpu, but got ", device_,
                " instead");
  }
}

void TensorIteratorBase::compute_types(uint32_t rules) {
  if (forced_output_dtype_ != ScalarType::Undefined) {
    common_dtype_ = forced_output_dtype_;
    for (OperandInfo& o : operands_) {
      if (!o.impl) o.dtype = forced_output_dtype_;
    }
    return;
  }
  if (rules & kPromote) {
    native::ResultTypeState state;
    for (OperandInfo& o : operands_) {
      if (!o.is_output) state.add(*o.impl);
    }
    common_dtype_ = state.result();
    if ((rules & kIntToFloat) && isIntegralType(common_dtype_, true))
      common_dtype_ = get_default_dtype();
    for (OperandInfo& o : operands_) {
      if (!o.is_output && o.impl->dtype() != common_dtype_) {
        const bool in_float = (rules & kOpmathScalars) && o.impl->dim() == 0 &&
                              (common_dtype_ == kHalf || common_dtype_ == kBFloat16);
        const ScalarType to = in_float ? kFloat : common_dtype_;
        if (o.impl->dtype() == to) continue;
        if (device_.is_meta()) o.dtype = to;
        // The loops of functions that take integers as floats convert them piece by piece.
        else if ((rules & kIntToFloat) && device_.is_cpu() && o.impl->numel() > 1 &&
                 isIntegralType(o.impl->dtype(), true))
          continue;
        // A number on the CPU that joins another device is converted by that device's loops.
        else if (o.impl->device() == device_) cast_input(o, to);
      }
    }
  } else {
    for (OperandInfo& o : operands_) {
      if (!o.impl) continue;
      if (common_dtype_ == ScalarType::Undefined) common_dtype_ = o.impl->dtype();
      TORCH_CHECK((rules & kNoSameDtypeCheck) || o.impl->dtype() == common_dtype_, op_,
                  ": Found dtype ", toString(o.impl->dtype()), " but expected ",
                  toString(common_dtype_));
    }
  }
  ScalarType result = (rules & kBoolOutput)   ? kBool
                      : (rules & kRealOutput) ? toRealValueType(common_dtype_)
                                              : common_dtype_;
  for (int i = 0; i < num_outputs_; ++i) {
    OperandInfo& o = operands_[i];
    if (!o.impl) {
      o.dtype = result;
    } else if (o.impl->dtype() != result && (rules & kCastOutput)) {
      TORCH_CHECK(canCast((rules & kBoolOutput) ? kBool : result, o.impl->dtype()), op_,
                  ": result type ", toString(result), " can't be cast to the desired output type ",
                  toString(o.impl->dtype()));
      o.dtype = result;  // replaced in make_outputs
    }
  }
}

// Insertion sort: there are few dimensions, and usually they arrive in order. Returns whether any
// moved. A comparison of 0 is not a tie: dimensions further in may still decide.
template <typename Compare>
static bool sort_dimensions(SmallVector<int, 6>& order, const Compare& compare) {
  bool moved = false;
  for (int i = 1; i < static_cast<int>(order.size()); ++i) {
    int at = i;
    for (int j = i - 1; j >= 0; --j) {
      int c = compare(order[j], order[at]);
      if (c > 0) {
        std::swap(order[j], order[at]);
        at = j;
        moved = true;
      } else if (c < 0) {
        break;
      }
    }
  }
  return moved;
}

static DimVector strides_in_order(const SmallVector<int, 6>& order, IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t step = 1;
  for (int d : order) {
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

// Dense strides for this order of dimensions.
static DimVector close_gaps(IntArrayRef sizes, IntArrayRef strides) {
  SmallVector<int, 6> order;  // innermost first
  for (int d = static_cast<int>(sizes.size()); d-- > 0;) order.push_back(d);
  sort_dimensions(order, [&](int x, int y) {
    if (strides[x] == 0 || strides[y] == 0) return 0;
    if (strides[x] != strides[y]) return strides[x] < strides[y] ? -1 : 1;
    return sizes[x] > sizes[y] ? 1 : 0;
  });
  return strides_in_order(order, sizes);
}

void TensorIteratorBase::cast_input(OperandInfo& o, ScalarType to) {
  // Keeps the order of dimensions, so that memory is walked sequentially and results have the
  // inputs' layout.
  const IntArrayRef sizes = o.impl->sizes();
  const bool dense = o.impl->is_non_overlapping_and_dense();
  // What is repeated is converted once.
  const auto distinct = native::distinct_sizes(sizes, o.impl->strides());
  const IntArrayRef converted_sizes = distinct ? IntArrayRef(*distinct) : sizes;
  DimVector strides =
      dense ? DimVector(o.impl->strides()) : close_gaps(converted_sizes, o.impl->strides());
  Tensor converted = empty_strided_tensor(converted_sizes, strides, to, o.impl->device());
  if (o.impl->numel() == 1 && device_.is_cpu()) {
    native::convert_element(o.impl->dtype(), o.impl->data(), to, converted.data_ptr());
  } else {
    auto original =
        distinct ? o.impl->shallow_copy() : intrusive_ptr<TensorImpl>::reclaim_copy(o.impl);
    if (distinct) original->set_sizes_and_strides(*distinct, o.impl->strides());
    c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
    _ops::copy_::call(converted, Tensor(std::move(original)), false);
  }
  if (distinct) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if ((*distinct)[d] != sizes[d]) strides[d] = 0;
    }
    converted.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  }
  o.impl = converted.unsafeGetTensorImpl();
  o.dtype = to;
  kept_.push_back(std::move(converted));
}

DimVector infer_broadcast_sizes(IntArrayRef a, IntArrayRef b, const char* op) {
  size_t n = std::max(a.size(), b.size());
  DimVector sizes(n);
  for (size_t k = 0; k < n; ++k) {
    int64_t sa = k < n - a.size() ? 1 : a[k - (n - a.size())];
    int64_t sb = k < n - b.size() ? 1 : b[k - (n - b.size())];
    TORCH_CHECK(sa == sb || sa == 1 || sb == 1, op, ": The size of tensor a (", sa,
                ") must match the size of tensor b (", sb, ") at non-singleton dimension ", k);
    sizes[k] = sa == 1 ? sb : sa;
  }
  return sizes;
}

void TensorIteratorBase::compute_shape(uint32_t rules) {
  if (!(rules & kStaticShape)) {
    bool first = true;
    for (OperandInfo& o : operands_) {
      // Outputs take the inputs' shape unless their shape is static (fills).
      if (!o.impl || (o.is_output && !(rules & kNoResize))) continue;
      IntArrayRef sizes = o.impl->sizes();
      if (first) {
        shape_ = SmallVector<int64_t, 6>(sizes);
        first = false;
      } else if (!IntArrayRef(shape_).equals(sizes)) {
        DimVector both = infer_broadcast_sizes(shape_, sizes, op_);
        shape_ = SmallVector<int64_t, 6>(IntArrayRef(both));
      }
    }
  }
  numel_ = checked_numel(shape_, op_);
}

// New results follow the layout of the inputs: channels-last in, channels-last out. The first input
// decides; if it is broadcast in a dimension, the next one does. Empty: contiguous.
DimVector TensorIteratorBase::output_strides() const {
  int n = static_cast<int>(shape_.size());
  const OperandInfo* first = nullptr;
  for (const OperandInfo& o : operands_) {
    if (o.is_output || o.impl->dim() == 0) continue;
    first = &o;
    break;
  }
  if (!first) return {};
  if (IntArrayRef(shape_) == first->impl->sizes()) {
    if (first->impl->is_contiguous()) return {};
    if (first->impl->is_non_overlapping_and_dense()) return DimVector(first->impl->strides());
  }
  auto stride_of = [&](const OperandInfo& o, int d) -> int64_t {
    IntArrayRef sizes = o.impl->sizes();
    int k = d - (n - static_cast<int>(sizes.size()));
    return k < 0 || (sizes[k] == 1 && shape_[d] != 1) ? 0 : o.impl->strides()[k];
  };
  // > 0: dimension x comes after y; < 0: before; 0: no input decides.
  auto compare = [&](int x, int y) {
    for (const OperandInfo& o : operands_) {
      if (o.is_output) continue;
      int64_t sx = stride_of(o, x), sy = stride_of(o, y);
      if (sx == 0 || sy == 0) continue;
      if (sx != sy) return sx < sy ? -1 : 1;
      if (shape_[x] > shape_[y]) return 1;
    }
    return 0;
  };
  SmallVector<int, 6> order;  // innermost first
  for (int d = n; d-- > 0;) order.push_back(d);
  if (!sort_dimensions(order, compare)) return {};
  return strides_in_order(order, shape_);
}

static void fail_overlap(const char* op) {
  TORCH_CHECK(
      false, op,
      ": unsupported operation: some elements of the input tensor and the written-to tensor refer "
      "to a single memory location. Please clone() the tensor before performing the operation.");
}

void TensorIteratorBase::make_outputs(uint32_t rules) {
  for (int i = 0; i < num_outputs_; ++i) {
    OperandInfo& o = operands_[i];
    if (!o.impl) {
      DimVector strides = output_strides();
      outputs_[i] = strides.empty() ? empty_tensor(shape_, o.dtype, device_)
                                    : empty_strided_tensor(shape_, strides, o.dtype, device_);
      o.impl = outputs_[i].unsafeGetTensorImpl();
      continue;
    }
    if (!(rules & (kNoResize | kReduction)) && o.impl->sizes() != IntArrayRef(shape_)) {
      TORCH_CHECK(form_ != OutputForm::inplace, op_, ": output with shape ", o.impl->sizes(),
                  " doesn't match the broadcast shape ", IntArrayRef(shape_));
      if (!(rules & kNoOverlapCheck)) assert_no_internal_overlap(*o.impl, op_);
      if (is_read(*o.impl)) {
        // It is also an input: resized after that has been read.
        if (!finishes_) fail_overlap(op_);
        outputs_[i] = empty_tensor(shape_, o.dtype, device_);
        o.impl = outputs_[i].unsafeGetTensorImpl();
        cast_outputs_ = true;
        continue;
      }
      resize_output(outputs_[i], shape_, op_);
      // A resized output is laid out like a new result.
      DimVector strides = output_strides();
      if (!strides.empty()) o.impl->set_sizes_and_strides(shape_, strides);
    }
    if (o.dtype != o.impl->dtype()) replace_output(i, o.dtype);
  }
}

// Whether an input shares the storage of an output.
bool TensorIteratorBase::is_read(const TensorImpl& out) const {
  for (int j = num_outputs_; j < ntensors(); ++j) {
    if (operands_[j].impl->storage().is_alias_of(out.storage())) return true;
  }
  return false;
}

void TensorIteratorBase::replace_output(int i, ScalarType computed) {
  OperandInfo& o = operands_[i];
  Tensor temporary =
      o.impl->is_non_overlapping_and_dense()
          ? empty_strided_tensor(o.impl->sizes(), o.impl->strides(), computed, device_)
          : empty_tensor(o.impl->sizes(), computed, device_);
  o.impl = temporary.unsafeGetTensorImpl();
  outputs_[i] = std::move(temporary);
  cast_outputs_ = true;
}

void TensorIteratorBase::copy_back() {
  c10::impl::ExcludeDispatchKeyGuard no_autograd(autograd_dispatch_keyset);
  for (int i = 0; i < num_outputs_; ++i) {
    if (!bound_[i] || outputs_[i].is_same(*bound_[i])) continue;
    if (form_ == OutputForm::out) resize_output(*bound_[i], outputs_[i].sizes(), op_);
    _ops::copy_::call(*bound_[i], outputs_[i], false);
  }
}

// An output in which an address occurs twice has no defined result. One that shares some but not
// all addresses with an input is rejected if both are dense, as in PyTorch; for others (a column of
// the output, a broadcast row of it) the input is read before the result is stored.
void TensorIteratorBase::check_overlap() {
  for (int i = 0; i < num_outputs_; ++i) {
    // If the result is computed in a temporary and converted, the caller's tensor is checked.
    TensorImpl* out =
        cast_outputs_ && bound_[i] ? bound_[i]->unsafeGetTensorImpl() : operands_[i].impl;
    if (form_ == OutputForm::functional && !bound_[i] && out->storage().use_count() == 1) continue;
    assert_no_internal_overlap(*out, op_);
    for (int j = 0; j < i; ++j) {
      const Tensor& other = bound_[j] ? *bound_[j] : outputs_[j];
      TORCH_CHECK(!other.defined() || !shares_memory(*out, *other.unsafeGetTensorImpl()), op_,
                  ": unsupported operation: two of the output tensors share memory. Please give "
                  "each result a tensor of its own.");
    }
    for (int j = num_outputs_; j < ntensors(); ++j) {
      TensorImpl* in = operands_[j].impl;
      if (in == out || !in->storage().is_alias_of(out->storage())) continue;
      bool same = in->storage_offset() == out->storage_offset() && in->sizes() == out->sizes() &&
                  in->strides() == out->strides() && in->itemsize() == out->itemsize();
      if (same || !shares_memory(*in, *out)) continue;
      bool dense = in->is_non_overlapping_and_dense() && out->is_non_overlapping_and_dense();
      bool resized = bound_[i] && out->sizes() != IntArrayRef(shape_);
      if (!finishes_ || (dense && !resized)) fail_overlap(op_);
      // Computed in a temporary, unless it already is.
      if (operands_[i].impl == out) replace_output(i, operands_[i].dtype);
    }
  }
}

void TensorIteratorBase::compute_strides(uint32_t rules) {
  int n = ndim();
  perm_.resize(n);
  // Dimension 0 of the iteration is the innermost one.
  for (int k = 0; k < n; ++k) perm_[k] = n - 1 - k;
  SmallVector<int64_t, 6> reversed(n);
  for (int k = 0; k < n; ++k) reversed[k] = shape_[n - 1 - k];
  shape_ = std::move(reversed);
  for (OperandInfo& o : operands_) {
    o.data = device_.is_meta() ? nullptr : static_cast<char*>(o.impl->data());
    o.stride_bytes.resize(n);
    int64_t item = static_cast<int64_t>(o.impl->itemsize());
    IntArrayRef sizes = o.impl->sizes(), strides = o.impl->strides();
    int missing = n - static_cast<int>(sizes.size());
    for (int k = 0; k < n; ++k) {
      int d = n - 1 - k - missing;
      o.stride_bytes[k] = d < 0 || sizes[d] <= 1 ? 0 : strides[d] * item;
    }
  }
  (void)rules;
}

// Innermost dimension first by stride: outputs decide before inputs.
void TensorIteratorBase::reorder() {
  int n = ndim();
  if (n <= 1) return;
  // > 0: dimension x comes after y; < 0: before; 0: no operand decides.
  auto compare = [&](int x, int y) {
    for (OperandInfo& o : operands_) {
      int64_t sx = o.stride_bytes[x], sy = o.stride_bytes[y];
      if (sx == 0 || sy == 0) {
        // In a reduction the reduced dimensions (output stride 0) are innermost.
        if (o.is_output && sx != sy && o.is_read_write) return sx == 0 ? -1 : 1;
        continue;
      }
      if (sx != sy) return sx < sy ? -1 : 1;
      if (shape_[x] != shape_[y]) return shape_[x] < shape_[y] ? -1 : 1;
    }
    return 0;
  };
  SmallVector<int, 6> order;
  for (int k = 0; k < n; ++k) order.push_back(k);
  if (!sort_dimensions(order, compare)) return;
  auto permute = [&](auto& v) {
    auto copy = v;
    for (int k = 0; k < n; ++k) v[k] = copy[order[k]];
  };
  permute(shape_);
  permute(perm_);
  for (OperandInfo& o : operands_) permute(o.stride_bytes);
}

// Two neighbouring dimensions can be merged if every operand steps from the end of the inner one to
// the next outer one.
void TensorIteratorBase::coalesce() {
  int n = ndim();
  if (n <= 1) return;
  auto mergeable = [&](int a, int b) {
    if (shape_[a] == 1 || shape_[b] == 1) return true;
    for (OperandInfo& o : operands_) {
      if (shape_[a] * o.stride_bytes[a] != o.stride_bytes[b]) return false;
    }
    return true;
  };
  int last = 0;
  for (int k = 1; k < n; ++k) {
    if (mergeable(last, k)) {
      if (shape_[last] == 1) {
        for (OperandInfo& o : operands_) o.stride_bytes[last] = o.stride_bytes[k];
      }
      shape_[last] *= shape_[k];
    } else {
      ++last;
      if (last != k) {
        shape_[last] = shape_[k];
        for (OperandInfo& o : operands_) o.stride_bytes[last] = o.stride_bytes[k];
      }
    }
  }
  if (last + 1 < n) {
    shape_.resize(last + 1);
    for (OperandInfo& o : operands_) o.stride_bytes.resize(last + 1);
    perm_.clear();
  }
}

// --- what is iterated ---------------------------------------------------------------------------

bool TensorIteratorBase::is_contiguous() const {
  if (ndim() > 1) return false;
  if (ndim() == 0 || numel_ == 1) return true;
  for (const OperandInfo& o : operands_) {
    if (o.stride_bytes[0] != static_cast<int64_t>(elementSize(o.dtype))) return false;
  }
  return true;
}

bool TensorIteratorBase::is_scalar(int arg) const {
  if (numel_ == 0) return false;  // there may be no element to read
  for (int k = 0; k < ndim(); ++k) {
    if (operands_[arg].stride_bytes[k] != 0 && shape_[k] != 1) return false;
  }
  return true;
}

void TensorIteratorBase::remove_operand(int arg) {
  OperandInfo* begin = operands_.begin();
  std::move(begin + arg + 1, operands_.end(), begin + arg);
  if (!operands_.rest.empty()) operands_.rest.pop_back();
  --operands_.n;
}

// --- loops --------------------------------------------------------------------------------------

void TensorIteratorBase::for_each(loop2d_t loop, int64_t grain) {
  if (numel_ == 0) return;
  if (numel_ <= grain || get_num_threads() == 1 || in_parallel_region()) {
    serial_for_each(loop, 0, numel_);
  } else {
    internal::run_parallel(0, numel_, grain,
                           [&](int64_t begin, int64_t end) { serial_for_each(loop, begin, end); });
  }
}

void TensorIteratorBase::serial_for_each(loop2d_t loop, int64_t begin, int64_t end) const {
  if (begin >= end) return;
  int nt = ntensors(), n = ndim();
  SmallVector<char*, 8> pointers(nt);
  SmallVector<int64_t, 16> steps(2 * std::max(nt, 1));
  for (int a = 0; a < nt; ++a) {
    pointers[a] = operands_[a].data;
    steps[a] = n > 0 ? operands_[a].stride_bytes[0] : 0;
    steps[nt + a] = n > 1 ? operands_[a].stride_bytes[1] : 0;
  }
  if (n <= 1) {
    for (int a = 0; a < nt; ++a) pointers[a] += begin * steps[a];
    loop(pointers.data(), steps.data(), end - begin, 1);
    return;
  }
  // Counts over the dimensions; complete planes of the two innermost ones go to the loop at once.
  SmallVector<int64_t, 8> at(n);
  int64_t rest = begin;
  for (int k = 0; k < n; ++k) {
    at[k] = rest % shape_[k];
    rest /= shape_[k];
  }
  SmallVector<char*, 8> here(nt);
  int64_t done = begin;
  while (done < end) {
    for (int a = 0; a < nt; ++a) {
      char* p = pointers[a];
      for (int k = 0; k < n; ++k) p += at[k] * operands_[a].stride_bytes[k];
      here[a] = p;
    }
    int64_t left = end - done, size0, size1 = 1;
    size0 = std::min(shape_[0] - at[0], left);
    if (at[0] == 0 && size0 == shape_[0]) size1 = std::min(shape_[1] - at[1], left / shape_[0]);
    loop(here.data(), steps.data(), size0, size1);
    done += size0 * size1;
    if (size0 < shape_[0] && size1 == 1) {
      at[0] += size0;
      if (at[0] < shape_[0]) continue;
      at[0] = 0;
      at[1] += 1;
    } else {
      at[0] = 0;
      at[1] += size1;
    }
    for (int k = 1; k + 1 < n && at[k] == shape_[k]; ++k) {
      at[k] = 0;
      ++at[k + 1];
    }
  }
}

// --- configuration by hand ----------------------------------------------------------------------

TensorIterator::TensorIterator(TensorIteratorConfig& c) : TensorIteratorBase(c.op_) {
  finishes_ = false;
  TORCH_INTERNAL_ASSERT(c.outputs_.size() <= kMaxOutputs);
  bool any_bound = false;
  for (size_t i = 0; i < c.outputs_.size(); ++i) {
    outputs_[i] = *c.outputs_[i];
    bound_[i] = const_cast<Tensor*>(c.outputs_[i]);
    any_bound |= outputs_[i].defined();
    add_result(static_cast<int>(i));
    if (c.rules_ & kReduction) operands_[i].is_read_write = true;
  }
  if (any_bound) form_ = OutputForm::out;
  for (const Tensor* t : c.inputs_) add_input_tensor(*t);
  forced_output_dtype_ = c.dtype_;
  if (c.rules_ & kStaticShape) shape_ = SmallVector<int64_t, 6>(IntArrayRef(c.shape_));
  build(c.rules_);
}

TensorIterator TensorIteratorConfig::build() { return TensorIterator(*this); }

}  // namespace at
