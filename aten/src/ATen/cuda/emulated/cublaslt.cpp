// cuBLASLt for the emulated device: the same arguments, limits and error codes, computed by the
// CPU's GEMM when the stream comes to it.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <ATen/cuda/CublasLtApi.h>
#include <ATen/native/common/Gemm.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e5m2.h>
#include <c10/util/Half.h>
#include <cuda_runtime.h>

#include "CublasStatus.h"

namespace at::cuda::cublaslt {
namespace {

using namespace cublas::emulated;

// What an algorithm asks for, if it may.
constexpr size_t kWorkspace = 4096;

struct Operation {
  int compute_type, scale_type;
  int32_t transpose_a = cublas::kNone, transpose_b = cublas::kNone, bias_type = -1;
  int32_t mode_a = kOneNumber, mode_b = kOneNumber;
  uint32_t epilogue = kNothing;
  int8_t fast_accumulation = 0;
  const void *bias = nullptr, *scale_a = nullptr, *scale_b = nullptr;
};
struct Layout {
  int type;
  int64_t rows, columns, ld;
  int32_t count = 1;
  int64_t offset = 0;
};
struct Preference {
  uint64_t max_workspace = 0;
  uint32_t alignment[4] = {256, 256, 256, 256};
};

Status create(Handle* handle) {
  *handle = new char;
  return kSuccess;
}
Status create_operation(Descriptor* descriptor, int compute_type, int scale_type) {
  *descriptor = new Operation{compute_type, scale_type};
  return kSuccess;
}
Status create_layout(Descriptor* descriptor, int type, uint64_t rows, uint64_t columns,
                     int64_t ld) {
  if (rows == 0 || columns == 0 || ld < static_cast<int64_t>(rows)) return kInvalidValue;
  *descriptor = new Layout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), ld};
  return kSuccess;
}
Status create_preference(Descriptor* descriptor) {
  *descriptor = new Preference;
  return kSuccess;
}
template <typename T>
Status destroy(Descriptor descriptor) {
  delete static_cast<T*>(descriptor);
  return kSuccess;
}

template <typename T>
Status assign(T& field, const void* value, size_t bytes) {
  if (bytes != sizeof(T)) return kInvalidValue;
  std::memcpy(&field, value, bytes);
  return kSuccess;
}

Status set_operation(Descriptor descriptor, int attribute, const void* value, size_t bytes) {
  auto& o = *static_cast<Operation*>(descriptor);
  switch (attribute) {
    case kTransposeA:
      return assign(o.transpose_a, value, bytes);
    case kTransposeB:
      return assign(o.transpose_b, value, bytes);
    case kEpilogue:
      return assign(o.epilogue, value, bytes);
    case kBiasPointer:
      return assign(o.bias, value, bytes);
    case kBiasType:
      return assign(o.bias_type, value, bytes);
    case kScalePointerA:
      return assign(o.scale_a, value, bytes);
    case kScalePointerB:
      return assign(o.scale_b, value, bytes);
    case kScaleModeA:
      return assign(o.mode_a, value, bytes);
    case kScaleModeB:
      return assign(o.mode_b, value, bytes);
    case kFastAccumulation:
      return assign(o.fast_accumulation, value, bytes);
    default:
      return kInvalidValue;
  }
}
Status set_layout(Descriptor descriptor, int attribute, const void* value, size_t bytes) {
  auto& l = *static_cast<Layout*>(descriptor);
  return attribute == kBatchCount    ? assign(l.count, value, bytes)
         : attribute == kBatchOffset ? assign(l.offset, value, bytes)
                                     : kInvalidValue;
}
Status set_preference(Descriptor descriptor, int attribute, const void* value, size_t bytes) {
  auto& p = *static_cast<Preference*>(descriptor);
  if (attribute == kMaxWorkspace) return assign(p.max_workspace, value, bytes);
  if (attribute < kAlignmentA || attribute > kAlignmentD) return kInvalidValue;
  return assign(p.alignment[attribute - kAlignmentA], value, bytes);
}

// --- elements of any type ------------------------------------------------------------------------

template <typename F>
bool with_type(int type, const F& f) {
  switch (type) {
    case cublas::kR32F:
      return f(float{}), true;
    case cublas::kR64F:
      return f(double{}), true;
    case cublas::kR16F:
      return f(c10::Half{}), true;
    case cublas::kR16BF:
      return f(c10::BFloat16{}), true;
    case kR8I:
      return f(int8_t{}), true;
    case kR32I:
      return f(int32_t{}), true;
    case kR8FE4M3:
      return f(c10::Float8_e4m3fn{}), true;
    case kR8FE5M2:
      return f(c10::Float8_e5m2{}), true;
    default:
      return false;
  }
}
template <typename T>
double as_double(T x) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<double>(x);
  else return static_cast<double>(static_cast<float>(x));
}
template <typename T>
T from_double(double x) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(x);
  else return static_cast<T>(static_cast<float>(x));
}

// --- what is supported ---------------------------------------------------------------------------

struct Call {
  Operation o;
  Layout a, b, d;

  int64_t k() const { return o.transpose_a == cublas::kNone ? a.columns : a.rows; }
  bool is_float8() const { return a.type == kR8FE4M3 || a.type == kR8FE5M2; }

  Status check() const {
    const bool plain_b = o.transpose_b == cublas::kNone;
    const int64_t rows = o.transpose_a == cublas::kNone ? a.rows : a.columns;
    if (o.transpose_a == cublas::kConjugateTranspose ||
        o.transpose_b == cublas::kConjugateTranspose)
      return kNotSupported;
    if (rows != d.rows || (plain_b ? b.rows : b.columns) != k() ||
        (plain_b ? b.columns : b.rows) != d.columns || a.count != d.count || b.count != d.count)
      return kInvalidValue;
    if (((o.epilogue & kBias) != 0) != (o.bias != nullptr)) return kInvalidValue;
    if ((o.scale_a || o.scale_b) && !is_float8()) return kInvalidValue;
    const bool is_known = with_type(a.type, [](auto) {}) && with_type(b.type, [](auto) {}) &&
                          with_type(d.type, [](auto) {});
    if (!is_known) return kNotSupported;
    return is_float8() ? check_float8() : a.type == kR8I ? check_int8() : check_same_types();
  }

 private:
  bool is_transposed_by_plain() const {
    return o.transpose_a == cublas::kTranspose && o.transpose_b == cublas::kNone;
  }
  Status check_float8() const {
    const bool types = (b.type == kR8FE4M3 || b.type == kR8FE5M2) && d.type != cublas::kR64F &&
                       d.type != kR32I && !(a.type == kR8FE5M2 && b.type == kR8FE5M2);
    const bool sizes = d.rows % 16 == 0 && k() % 16 == 0 && a.ld % 16 == 0 && b.ld % 16 == 0;
    return types && sizes && is_transposed_by_plain() && o.compute_type == cublas::kCompute32F &&
                   o.mode_a == o.mode_b
               ? kSuccess
               : kNotSupported;
  }
  Status check_int8() const {
    return b.type == kR8I && d.type == kR32I && o.compute_type == kCompute32I &&
                   o.scale_type == kR32I && !o.bias && is_transposed_by_plain() && k() % 4 == 0 &&
                   a.ld % 4 == 0 && b.ld % 4 == 0
               ? kSuccess
               : kNotSupported;
  }
  Status check_same_types() const {
    const bool is_double = a.type == cublas::kR64F;
    const bool types = b.type == a.type && d.type == a.type && a.type != kR32I &&
                       (o.bias_type == -1 || o.bias_type == d.type);
    return types && is_double == (o.compute_type == cublas::kCompute64F) &&
                   o.scale_type == (is_double ? cublas::kR64F : cublas::kR32F)
               ? kSuccess
               : kNotSupported;
  }
};

// --- the computation -----------------------------------------------------------------------------

struct Numbers {
  double alpha, beta;
};

Numbers numbers(const Operation& o, const void* alpha, const void* beta) {
  Numbers n{};
  with_type(o.scale_type, [&](auto zero) {
    using T = decltype(zero);
    n = {as_double(*static_cast<const T*>(alpha)), as_double(*static_cast<const T*>(beta))};
  });
  return n;
}

// A matrix in the type of the sums, dense and row-major. Scales: one number, or one a row.
template <typename S>
std::vector<S> dense(const Layout& l, const void* data, bool transpose, const void* scale,
                     bool scales_rows) {
  const int64_t rows = transpose ? l.columns : l.rows, columns = transpose ? l.rows : l.columns;
  std::vector<S> result(rows * columns);
  const auto* factor = static_cast<const float*>(scale);
  with_type(l.type, [&](auto zero) {
    const auto* from = static_cast<const decltype(zero)*>(data);
    for (int64_t i = 0; i < rows; ++i) {
      const float f = factor ? factor[scales_rows ? i : 0] : 1.0f;
      for (int64_t j = 0; j < columns; ++j) {
        const auto x = as_double(transpose ? from[j + i * l.ld] : from[i + j * l.ld]);
        result[i * columns + j] = static_cast<S>(factor ? x * f : x);
      }
    }
  });
  return result;
}

double activated(double x, uint32_t epilogue) {
  if (epilogue & kRelu) return x > 0 || std::isnan(x) ? x : 0;
  if ((epilogue & kGeluBias) != kGeluBias) return x;
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

template <typename S>
void compute(const Call& call, ScalarType dtype, Numbers n, const void* a, const void* b,
             const void* c, void* d) {
  const Operation& o = call.o;
  const std::vector<S> first =
      dense<S>(call.a, a, o.transpose_a != cublas::kNone, o.scale_a, o.mode_a == kNumberOfEachRow);
  // The columns of the second are the rows of its transpose.
  const std::vector<S> second =
      dense<S>(call.b, b, o.transpose_b == cublas::kNone, o.scale_b, o.mode_b == kNumberOfEachRow);
  const int64_t rows = call.d.rows, columns = call.d.columns;
  std::vector<S> sums(rows * columns);
  native::GemmArgs g{dtype};
  g.trans_b = true;
  g.m = rows;
  g.n = columns;
  g.k = call.k();
  g.a = first.data();
  g.lda = g.ldb = g.k;
  g.b = second.data();
  g.c = sums.data();
  g.ldc = columns;
  native::gemm(g);
  with_type(call.d.type, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < rows; ++i) {
      double bias = 0;
      if (o.bias) {
        with_type(o.bias_type < 0 ? call.d.type : o.bias_type, [&](auto like) {
          bias = as_double(static_cast<const decltype(like)*>(o.bias)[i]);
        });
      }
      for (int64_t j = 0; j < columns; ++j) {
        const int64_t at = i + j * call.d.ld;
        double x = n.alpha * static_cast<double>(sums[i * columns + j]) + bias;
        if (n.beta != 0) x += n.beta * as_double(static_cast<const T*>(c)[at]);
        static_cast<T*>(d)[at] = from_double<T>(activated(x, o.epilogue));
      }
    }
  });
}

int64_t size_of(int type) {
  int64_t bytes = 0;
  with_type(type, [&](auto zero) { bytes = sizeof(zero); });
  return bytes;
}

void run(const Call& call, Numbers n, const void* a, const void* b, const void* c, void* d) {
  auto at = [](const void* base, const Layout& l, int64_t product) {
    return static_cast<const char*>(base) + product * l.offset * size_of(l.type);
  };
  for (int64_t i = 0; i < call.d.count; ++i) {
    const void *x = at(a, call.a, i), *y = at(b, call.b, i), *z = at(c, call.d, i);
    void* to = const_cast<char*>(at(d, call.d, i));
    if (call.a.type == cublas::kR64F) compute<double>(call, kDouble, n, x, y, z, to);
    else if (call.a.type == kR8I) compute<int32_t>(call, kInt, n, x, y, z, to);
    else compute<float>(call, kFloat, n, x, y, z, to);
  }
}

Call call_of(Descriptor operation, Descriptor a, Descriptor b, Descriptor d) {
  return {*static_cast<Operation*>(operation), *static_cast<Layout*>(a), *static_cast<Layout*>(b),
          *static_cast<Layout*>(d)};
}

Status heuristic(Handle, Descriptor operation, Descriptor a, Descriptor b, Descriptor, Descriptor d,
                 Descriptor preference, int requested, Candidate* candidates, int* returned) {
  if (requested <= 0) return kInvalidValue;
  *returned = 0;
  const Call call = call_of(operation, a, b, d);
  if (const Status status = call.check()) return status;
  const auto& p = *static_cast<Preference*>(preference);
  for (int operand = 0; operand < 4; ++operand) {
    const int type = operand == 0 ? call.a.type : operand == 1 ? call.b.type : call.d.type;
    if (p.alignment[operand] < size_of(type)) return kNotSupported;
  }
  const size_t workspace = p.max_workspace >= kWorkspace ? kWorkspace : 0;
  candidates[0] = {{{workspace}}, workspace, kSuccess, 1.0f, {}};
  *returned = 1;
  return kSuccess;
}

Status matmul(Handle, Descriptor operation, const void* alpha, const void* a, Descriptor layout_a,
              const void* b, Descriptor layout_b, const void* beta, const void* c, Descriptor,
              void* d, Descriptor layout_d, const Algorithm* algorithm, void* workspace,
              size_t bytes, cudaStream_t stream) {
  const Call call = call_of(operation, layout_a, layout_b, layout_d);
  if (const Status status = call.check()) return status;
  if (!algorithm || bytes < algorithm->data[0] || (bytes > 0 && !workspace)) return kInvalidValue;
  const Numbers n = numbers(call.o, alpha, beta);
  const auto error =
      torch_emulated_cuda::enqueue(stream, [=] { run(call, n, a, b, c, d); }, "cublasLtMatmul");
  return error == cudaSuccess ? kSuccess : kInvalidValue;
}

}  // namespace

const Functions& functions() {
  static const Functions all{create,         status_name,         create_operation,
                             set_operation,  destroy<Operation>,  create_layout,
                             set_layout,     destroy<Layout>,     create_preference,
                             set_preference, destroy<Preference>, heuristic,
                             matmul};
  return all;
}

}  // namespace at::cuda::cublaslt
