#pragma once
// TensorIterator: iterates over the elements of several tensors together.
//
// It broadcasts shapes, computes the common type, makes or checks outputs, and reorders and merges
// dimensions so that memory is accessed as sequentially as possible. It calls loops with byte
// pointers and strides:
//
//   TensorIterator iter("add");            // generated code: one of the build_ functions
//   iter.build_binary_op(a, b);
//   add_stub(iter.device_type(), iter, alpha);
//   return iter.take_output(0);
//
//   auto iter = TensorIteratorConfig("where").add_output(out).add_input(c).add_input(a).build();
//
// Operands are numbered, outputs first. Inputs are borrowed: they must outlive the iterator.
//
// Note [The trivial case]
// Most calls have operands of one shape and type, all dense in the same order. Those skip
// broadcasting, reordering and merging, and become one dimension at once, which makes small calls
// cheap.

#include <ATen/Parallel.h>
#include <ATen/native/common/StructuredOutputs.h>
#include <c10/util/FunctionRef.h>
#include <c10/util/SmallVector.h>

namespace at {

class TensorIteratorConfig;

struct OperandInfo {
  char* data = nullptr;
  TensorImpl* impl = nullptr;                // null for an output that is still to be made
  ScalarType dtype = ScalarType::Undefined;  // what the loop sees
  bool is_output = false;
  bool is_read_write = false;
  DimVector stride_bytes;
};

class TensorIteratorBase : public MetaBase {
 public:
  // (pointers, byte strides, sizes): strides[k] steps operand k along the inner dimension,
  // strides[ntensors + k] along the outer one.
  using loop2d_t =
      c10::function_ref<void(char** data, const int64_t* strides, int64_t size0, int64_t size1)>;

  explicit TensorIteratorBase(const char* op, OutputForm form = OutputForm::functional)
      : MetaBase(op, form) {}

  // Builders for the kinds of elementwise operators. In-place and out= forms bind their output
  // first.
  void build_binary_op(const Tensor& a, const Tensor& b);  // both promoted; result of that type
  void build_binary_float_op(const Tensor& a, const Tensor& b);  // the same; integers become float
  // The same two for products and quotients. Numbers stay in float where the result is of a half
  // type: x * 0.9 would otherwise be off by the rounding of 0.9.
  void build_binary_opmath_op(const Tensor& a, const Tensor& b);
  void build_binary_opmath_float_op(const Tensor& a, const Tensor& b);
  void build_comparison_op(const Tensor& a, const Tensor& b);  // both promoted; result bool
  void build_unary_op(const Tensor& a);                        // result of the type of a
  void build_unary_float_op(const Tensor& a);                  // integers become float
  void build_unary_op_to(const Tensor& a,
                         ScalarType result);  // result of the given type; a is not converted
  void build_mixed_op_to(const Tensor& a, const Tensor& b, ScalarType result);  // the same for two
  void build_unary_force_boolean_op(const Tensor& a);                           // result bool
  void build_ternary_op(const Tensor& a, const Tensor& b, const Tensor& c);     // all promoted
  void build_nullary_op();                                                      // in-place fills
  // As build_unary_op, for functions whose value of a complex number is real (abs, angle).
  void build_unary_complex_to_real_op(const Tensor& a);
  void build_unary_complex_to_real_float_op(const Tensor& a);

  // --- what is iterated --------------------------------------------------------------------
  int ndim() const { return static_cast<int>(shape_.size()); }
  IntArrayRef shape() const { return shape_; }
  int64_t numel() const { return numel_; }
  int ntensors() const { return static_cast<int>(operands_.size()); }
  int noutputs() const { return num_outputs_; }
  int ninputs() const { return ntensors() - num_outputs_; }
  IntArrayRef strides(int arg) const { return operands_[arg].stride_bytes; }
  void* data_ptr(int arg) const { return operands_[arg].data; }
  ScalarType dtype(int arg = 0) const { return operands_[arg].dtype; }
  ScalarType input_dtype(int arg = 0) const { return operands_[num_outputs_ + arg].dtype; }
  // The type that inputs were promoted to.
  ScalarType common_dtype() const { return common_dtype_; }
  DeviceType device_type() const { return device_.type(); }
  Device device() const { return device_; }
  bool needs_kernel() const { return numel_ != 0 && !device_.is_meta(); }
  // All operands dense, one dimension.
  bool is_contiguous() const;
  bool is_trivial_1d() const { return ndim() <= 1; }
  // A single number: an input whose strides are all zero.
  bool is_scalar(int arg) const;
  template <typename T>
  T scalar_value(int arg) const {
    return *reinterpret_cast<T*>(operands_[arg].data);
  }
  // Whether an input is a number in the CPU's memory, which joins operands on another device.
  bool is_host_number(int arg) const {
    const TensorImpl* impl = operands_[arg].impl;
    return !operands_[arg].is_output && impl && impl->device_type() == kCPU && !device_.is_cpu();
  }
  // Removes an input from the iteration, after its value was read by scalar_value.
  void remove_operand(int arg);

  // --- loops -------------------------------------------------------------------------------
  // Over all elements, in pieces of at least `grain` on several threads.
  void for_each(loop2d_t loop, int64_t grain = kGrainSize);
  // The same for a loop over the inner dimension alone: loop(pointers, byte strides, size).
  template <typename F,
            std::enable_if_t<std::is_invocable_v<F&, char**, const int64_t*, int64_t>, bool> = true>
  void for_each(F loop, int64_t grain = kGrainSize) {
    const int n = ntensors();
    for_each(loop2d_t([&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
      SmallVector<char*, 4> at(data, data + n);
      for (int64_t j = 0; j < size1; ++j) {
        loop(at.data(), strides, size0);
        for (int k = 0; k < n; ++k) at[k] += strides[n + k];
      }
    }),
             grain);
  }
  // Over elements [begin, end) in iteration order, on this thread.
  void serial_for_each(loop2d_t loop, int64_t begin, int64_t end) const;
  // For backends that change an operand's memory: the operand; one made dense in the order of the
  // iteration, over a tensor's memory; an iteration over two operands of another one.
  OperandInfo& operand(int arg) { return operands_[arg]; }
  void make_dense(OperandInfo& operand, const Tensor& memory) const;
  void set_pair(const TensorIteratorBase& other, const OperandInfo& to, const OperandInfo& from);
  // Calls f with this iterator, narrowed to pieces of less than 2^31 elements.
  void for_each_32bit_piece(c10::function_ref<void(TensorIteratorBase&)> f);
  // For reductions: threads share no output element.
  void parallel_reduce(loop2d_t loop);

  Tensor take_output(int i) { return std::move(outputs_[i]); }
  // Copies a result computed in a temporary of another type into the caller's tensor.
  void finish_outputs() {
    if (cast_outputs_) copy_back();
  }

 protected:
  friend class TensorIteratorConfig;
  enum Rule : uint32_t {
    kPromote = 1,      // inputs are converted to their common type
    kIntToFloat = 2,   // ... of which integers become the default float type
    kBoolOutput = 4,   // the result is bool
    kRealOutput = 8,   // the result is the real type of a complex common type
    kCastOutput = 16,  // a bound output of another type is computed in a temporary and converted
    kNoResize = 32,    // outputs have their shape already
    kNoOverlapCheck = 64,
    kNoSameDtypeCheck = 128,
    kStaticShape = 256,  // shape_ is set by the caller
    kReduction = 512,
    kNoReorder = 1024,  // keep the dimensions as they are
    kNoCoalesce = 2048,
    kOpmathScalars = 4096,  // inputs without dimensions are float where the result is half
  };

  void add_result(int i) { add_operand(outputs_[i].unsafeGetTensorImpl(), true); }
  void add_operand(TensorImpl* impl, bool output);
  void add_input_tensor(const Tensor& t);
  void build(uint32_t rules);
  bool build_trivial(uint32_t rules);
  void force_result(ScalarType result);
  void compute_device();
  void compute_types(uint32_t rules);
  void compute_shape(uint32_t rules);
  void make_outputs(uint32_t rules);
  void check_overlap();
  bool is_read(const TensorImpl& out) const;
  void compute_strides(uint32_t rules);
  void reorder();
  void coalesce();
  void cast_input(OperandInfo& op, ScalarType to);
  void replace_output(int i, ScalarType computed);
  void copy_back();
  DimVector output_strides() const;

  SmallVector<int64_t, 6> shape_;
  SmallVector<int, 6>
      perm_;  // perm_[k]: the operands' dimension that dimension k of the iteration corresponds to
  int64_t numel_ = 0;
  int num_outputs_ = 0;
  Device device_{kCPU};
  ScalarType common_dtype_ = ScalarType::Undefined;
  bool cast_outputs_ = false;
  bool finishes_ = true;  // finish_outputs will be called: a result may be computed in a temporary
  ScalarType forced_output_dtype_ = ScalarType::Undefined;
  // Operands are stored in an array type of their own: OperandInfo is not trivially copyable.
  struct OperandList {
    static constexpr int kInline = 4;
    OperandInfo inline_[kInline];
    std::vector<OperandInfo> rest;  // used instead if there are more
    int n = 0;
    size_t size() const { return n; }
    OperandInfo* begin() { return rest.empty() ? inline_ : rest.data(); }
    OperandInfo* end() { return begin() + n; }
    const OperandInfo* begin() const { return rest.empty() ? inline_ : rest.data(); }
    const OperandInfo* end() const { return begin() + n; }
    OperandInfo& operator[](int i) { return begin()[i]; }
    const OperandInfo& operator[](int i) const { return begin()[i]; }
    OperandInfo& add();
  } operands_;
  // Converted inputs and original outputs, kept alive by the iterator.
  std::vector<Tensor> kept_;
};

class TensorIterator final : public TensorIteratorBase {
 public:
  using TensorIteratorBase::TensorIteratorBase;
  TensorIterator(TensorIteratorConfig& config);
};

// Configures an iterator by hand. Undefined outputs are allocated; read them with
// output(i).
class TensorIteratorConfig final {
 public:
  // `op` is the name used in errors.
  explicit TensorIteratorConfig(const char* op = "TensorIterator") : op_(op) {}
  TensorIteratorConfig& add_output(const Tensor& t) {
    outputs_.push_back(&t);
    return *this;
  }
  TensorIteratorConfig& add_input(const Tensor& t) {
    inputs_.push_back(&t);
    return *this;
  }
  TensorIteratorConfig& add_const_input(const Tensor& t) { return add_input(t); }
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool on) {
    return rule(TensorIteratorBase::kPromote, on);
  }
  TensorIteratorConfig& promote_integer_inputs_to_float(bool on) {
    return rule(TensorIteratorBase::kIntToFloat, on);
  }
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool on) {
    return rule(TensorIteratorBase::kCastOutput, on);
  }
  TensorIteratorConfig& check_all_same_dtype(bool on) {
    return rule(TensorIteratorBase::kNoSameDtypeCheck, !on);
  }
  TensorIteratorConfig& resize_outputs(bool on) { return rule(TensorIteratorBase::kNoResize, !on); }
  TensorIteratorConfig& set_check_mem_overlap(bool on) {
    return rule(TensorIteratorBase::kNoOverlapCheck, !on);
  }
  TensorIteratorConfig& is_reduction(bool on) { return rule(TensorIteratorBase::kReduction, on); }
  TensorIteratorConfig& enforce_linear_iteration(bool on = true) {
    return rule(TensorIteratorBase::kNoReorder, on);
  }
  TensorIteratorConfig& declare_static_dtype(ScalarType t) {
    dtype_ = t;
    return *this;
  }
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape) {
    shape_ = shape;
    return rule(TensorIteratorBase::kStaticShape, true);
  }
  TensorIterator build();

 private:
  friend class TensorIterator;
  TensorIteratorConfig& rule(uint32_t bit, bool on) {
    rules_ = on ? rules_ | bit : rules_ & ~bit;
    return *this;
  }
  const char* op_;
  SmallVector<const Tensor*, 4> outputs_, inputs_;
  uint32_t rules_ = 0;
  ScalarType dtype_ = ScalarType::Undefined;
  DimVector shape_;
};

// The sizes that both broadcast to; throws with the operator's name if they do not broadcast.
DimVector infer_broadcast_sizes(IntArrayRef a, IntArrayRef b, const char* op);
// Type promotion of operators: tensors with dimensions take precedence over 0-d tensors, and those
// over Python numbers.
ScalarType result_type(TensorList tensors);

}  // namespace at
