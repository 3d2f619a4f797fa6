#pragma once
// Calls of LAPACK routines by their names without the letter of the type:
//
//   static const Lapack<T> getrf("getrf");
//   getrf(m, n, a, lda, pivots, &info);  // sgetrf, dgetrf, cgetrf or zgetrf
//
// Integers (int), characters and elements are passed by value here and by address there. The
// library (NativeLibraries.h) is opened by the first call.

#include <climits>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/native/common/NativeLibraries.h>
#include <ATen/native/common/RealOf.h>
#include <ATen/native/common/Scratch.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <c10/util/complex.h>

namespace at::native {

template <typename T>
constexpr bool is_complex_type = !std::is_same_v<T, Real<T>>;

template <typename T>
class Lapack {
 public:
  // `complex_name` is the name for complex types, if it differs: orgqr and ungqr.
  explicit Lapack(const char* name, const char* complex_name = nullptr) {
    const BlasLibrary* library = blas_library();
    TORCH_CHECK(library, "linalg: this build of torch has no LAPACK library");
    constexpr char letter = std::is_same_v<T, float>    ? 's'
                            : std::is_same_v<T, double> ? 'd'
                            : sizeof(Real<T>) == 4      ? 'c'
                                                        : 'z';
    std::string full =
        letter + std::string(is_complex_type<T> && complex_name ? complex_name : name);
    routine_ = library->symbol(full.c_str());
    TORCH_CHECK(routine_, "linalg: the LAPACK library has no routine ", full);
  }

  template <typename... A>
  void operator()(A... args) const {
    constexpr size_t characters = (0 + ... + size_t{std::is_same_v<A, char>});
    call(std::make_index_sequence<characters>{}, args...);
  }

 private:
  template <typename V>
  static V* address(V*& pointer) {
    return pointer;
  }
  template <typename V>
  static const V* address(V& value) {
    return &value;
  }
  // Fortran passes the lengths of strings after the other arguments.
  template <size_t... I, typename... A>
  void call(std::index_sequence<I...>, A&... args) const {
    using Function = void (*)(decltype(address(args))..., decltype(size_t{I})...);
    BlasCall lock;
    reinterpret_cast<Function>(routine_)(address(args)..., (static_cast<void>(I), size_t{1})...);
  }

  void* routine_;
};

// LAPACK's integers have 32 bits.
inline int lapack_int(int64_t value) {
  TORCH_CHECK(value <= INT_MAX, "linalg: a matrix is too large for LAPACK: a size of ", value);
  return static_cast<int>(value);
}

// The size of a workspace, from the answer to a query. Single precision rounds it.
template <typename T>
int64_t workspace_size(const T& answer) {
  double size;
  if constexpr (is_complex_type<T>) size = answer.real();
  else size = answer;
  if (sizeof(Real<T>) == 4) size = std::ceil(size * (1 + 1.2e-7));
  return lapack_int(static_cast<int64_t>(std::max(size, 1.0)));
}

}  // namespace at::native
