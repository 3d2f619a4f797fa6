#pragma once
// Transforms along some dimensions, which everything else in this family is made of, and the checks
// that the operators share.

#include <optional>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

namespace at::native {

enum class FFTKind : uint8_t {
  c2c,  // complex to complex
  r2c,  // real to the first n / 2 + 1 values of its spectrum; forward
  c2r,  // the first n / 2 + 1 values of a spectrum to n real ones; backward
};

// How results are scaled: the argument `normalization` of the _fft_* operators.
enum class FFTNorm : int64_t { none = 0, by_root_n = 1, by_n = 2 };

// out = scale * the transform of in along dims, the last of which is the one that has half a
// spectrum. Strides are arbitrary. out may be in if their types are the same; in is not changed
// otherwise.
DECLARE_DISPATCH(void (*)(FFTKind kind, const Tensor& in, const Tensor& out, IntArrayRef dims,
                          double scale, bool forward),
                 fft_stub);
// The CPU's, along one dimension.
DECLARE_DISPATCH(void (*)(FFTKind kind, const Tensor& in, const Tensor& out, int64_t dim,
                          double scale, bool forward),
                 fft_float_stub);
DECLARE_DISPATCH(void (*)(FFTKind kind, const Tensor& in, const Tensor& out, int64_t dim,
                          double scale, bool forward),
                 fft_double_stub);
// Raises an error if the device has no transforms of half numbers of these lengths.
DECLARE_DISPATCH(void (*)(IntArrayRef lengths), fft_check_half_stub);
// Computes the second half of a spectrum of real numbers along dims.back() from the first: X[-k] =
// conj(X[k]).
DECLARE_DISPATCH(void (*)(const Tensor& spectrum, IntArrayRef dims), fft_mirror_stub);

// Arguments of the public functions, checked.
FFTNorm fft_norm(const std::optional<std::string_view>& name, bool forward);
void check_fft_length(int64_t n);
// The tensor in a type that transforms take: integers become the default floating-point type, and
// real numbers complex ones if asked for.
Tensor fft_promoted(const Tensor& self, bool make_complex);
// Cut or padded with zeros at the ends of dims; -1 keeps a length.
Tensor fft_resized(const Tensor& self, IntArrayRef dims, IntArrayRef sizes);

// A tensor whose transformed dimensions are the innermost: a transform reads and writes them once
// each. Both groups of dimensions keep the order that they have in the memory of `like`, except
// that `last`, unless -1, comes last.
Tensor empty_for_fft(const Tensor& like, IntArrayRef sizes, ScalarType dtype, IntArrayRef dims,
                     int64_t last);
// The dimensions with the one that comes last in the memory of a tensor at the end.
DimVector innermost_last(const Tensor& t, IntArrayRef dims);

struct FFTShape {
  DimVector dims, sizes;
};
// The dimensions of a transform and the lengths along them, from the arguments s and dim.
FFTShape fft_shape(const Tensor& self, OptionalIntArrayRef s, OptionalIntArrayRef dim);

}  // namespace at::native
