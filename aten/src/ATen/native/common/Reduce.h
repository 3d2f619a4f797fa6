#pragma once
// Reductions: the part that is independent of the function computed.
//
// Operators call reduction_stub with the kind of reduction; each device has one kernel for all
// kinds. On the CPU a reduction provides a few small functions over dense runs of one compute type
// (ReduceOps). Its kernel converts any strides, element types and sets of dimensions to that
// form, in pieces that stay in the first-level cache, and divides the work among threads: by
// outputs if there are enough, else by pieces of the reduced elements, whose partial results are
// combined in order, so that a result depends on the number of threads but not on timing.

#include <ATen/native/common/DispatchStub.h>
#include <ATen/native/common/TensorIterator.h>

namespace at::native {

// Accumulators of n outputs are adjacent; each reduction defines their contents, as long as n of
// them take n * acc_size bytes.
struct ReduceOps {
  ScalarType compute;    // what `row` and `columns` read
  ScalarType result[2];  // what `finish` writes; Undefined without a second result
  size_t acc_size;
  double parameter;  // e.g. the p of a norm, or the correction of a variance
  void (*init)(const ReduceOps& ops, char* acc, int64_t n);
  // Adds n dense elements to one accumulator; `first` counts the preceding elements of this
  // output.
  void (*row)(const ReduceOps& ops, const char* p, int64_t n, int64_t first, char* acc);
  // Reduces `rows` whole rows of n dense elements, row_bytes apart: row j into accumulator j, which
  // is initialized. Null: `row` is called for each. Short rows are worth it.
  void (*rows)(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
               char* acc);
  // Adds `rows` dense rows of n elements, row_bytes apart: element j goes into accumulator j.
  void (*columns)(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                  int64_t first, char* acc);
  // Combines accumulators of a later part into those of an earlier one.
  void (*combine)(const ReduceOps& ops, char* acc, const char* later, int64_t n);
  // Each accumulator holds `count` elements.
  void (*finish)(const ReduceOps& ops, const char* acc, int64_t n, int64_t count, char* out0,
                 char* out1);
  // The results of n columns of a few rows, row_bytes apart, without accumulators; null if there is
  // no such way.
  void (*few_rows)(const ReduceOps& ops, const char* p, int64_t rows, int64_t row_bytes, int64_t n,
                   char* out);
  // `row` for elements that are stored as Half and BFloat16, if it can read them as they are; null
  // otherwise.
  void (*row_of_half)(const ReduceOps& ops, const char* p, int64_t n, int64_t first, char* acc);
  void (*row_of_bfloat16)(const ReduceOps& ops, const char* p, int64_t n, int64_t first, char* acc);
  // The same of `columns`.
  decltype(columns) columns_of_half, columns_of_bfloat16;
};

enum class ReduceKind : uint8_t {
  sum,
  nansum,
  mean,
  prod,
  amax,
  amin,
  aminmax,
  all,
  any,
  count_nonzero,
  logsumexp,
  var,
  std,
  argmax,
  argmin,
  max,
  min,
  norm0,
  norm1,
  norm2,
  normp,
  norm_inf,
  norm_neg_inf,
};

// The functions for a kind that computes in `compute` (Float, Double, Long, ComplexFloat,
// ComplexDouble or Bool). Throws if there are none.
DECLARE_DISPATCH(ReduceOps (*)(ReduceKind kind, ScalarType compute, const char* op),
                 reduce_ops_stub);

struct Reduction {
  ReduceKind kind;
  ScalarType compute;
  const char* op;        // for errors
  double parameter = 0;  // see ReduceOps
};
// Reduces the dimensions in `mask` (bit d for dimension d). The outputs have self's dimensions
// without those, or with size 1 for them (keepdim), and any strides; out1 may be undefined.
DECLARE_DISPATCH(void (*)(const Reduction& reduction, const Tensor& self, uint64_t mask,
                          bool keepdim, const Tensor& out0, const Tensor& out1),
                 reduction_stub);

// --- arguments ----------------------------------------------------------------------------------

// Dimensions as a bit mask, wrapped; all of them if the list is absent or empty. Throws if one
// occurs twice.
uint64_t reduce_mask(OptionalIntArrayRef dims, int64_t rank, const char* op);
DimVector reduced_sizes(IntArrayRef sizes, uint64_t mask, bool keepdim);
// The compute type for values of `dtype`: Float for Half, Long for integers, ...
ScalarType reduce_compute_type(ScalarType dtype);

}  // namespace at::native
