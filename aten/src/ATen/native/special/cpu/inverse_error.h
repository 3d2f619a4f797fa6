#pragma once
// The inverse of the error function, for vectors.
//
// erfinv(x) / x is smooth in w = -log(1 - x^2) near zero, and in the square root of w in the tails
// (M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2010). The polynomials
// interpolate it at Chebyshev points of [0, 6.25] in w, and of [2.5, 4] and [4, 6.05] in its root,
// mapped to [-1, 1]; highest power first, with relative errors of 3e-17 (2e-8 in float).

#include <cmath>

#include <ATen/native/common/cpu/VecMath.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
struct InverseErrorTerms;
template <>
struct InverseErrorTerms<double> {
  static constexpr double kMiddle[] = {
      7.801712199036252148e-10,   -8.577966939639941468e-11, -8.627191009014393973e-9,
      9.072075947892909342e-9,    3.931511157646558331e-8,   -1.051499071337143651e-7,
      -1.041269284115963582e-8,   5.456420572209781581e-7,   -1.059118809818753117e-6,
      -6.876551807254939857e-7,   7.129939743146950264e-6,   -0.0000112556539839694204,
      -0.00001502766577311719381, 0.00009336692787624058353, -0.0001168888508125076008,
      -0.0002643935864664605687,  0.001232485570299421454,   -0.001271692276988511447,
      -0.004137314377547894925,   0.01780836181875690242,    -0.02260444745344473227,
      -0.05892256710378759652,    0.7504943200799635134,     1.653654562683102746};
  static constexpr double kTail[] = {
      2.435554345265572409e-11,  -6.471554767207545992e-11, -1.179100761769929036e-10,
      9.891297510532429355e-10,  -2.460529113922730477e-9,  -3.690608707808929568e-10,
      2.639903235291529733e-8,   -9.468946844911027914e-8,  9.289338749101434781e-8,
      5.264621626938461177e-7,   -2.66479384671590618e-6,   5.127316786334848195e-6,
      2.405864805789803702e-6,   -0.0000473918273161823244, 0.0001696650219754376471,
      -0.0004006356983535858356, 0.0007883078513066944989,  -0.00158254108940730967,
      0.003021139436374706081,   0.7539442257706240372,     3.083885610492220676};
  static constexpr double kFarTail[] = {
      -2.762203921819005226e-11, 5.370930841736792429e-11,   1.102858296734360991e-10,
      -5.976977304228830947e-10, 1.664919684502881605e-9,    -4.174885165379395791e-9,
      9.071129273532404183e-9,   -1.716125500484707117e-8,   3.218458654723750518e-8,
      -7.592556396109722185e-8,  2.615023553264020474e-7,    -1.127691304918690782e-6,
      5.051850859947656118e-6,   -0.00002151451802051585183, 0.00008121518757829594243,
      -0.000223511020701235915,  -0.000162389479135012137,   1.035550458689396287,
      4.875163823000272901};
};
template <>
struct InverseErrorTerms<float> {
  static constexpr float kMiddle[] = {6.20275451e-05f, -0.00013095719f, -0.000233311555f,
                                      0.00123884177f,  -0.0012852012f,  -0.00413865438f,
                                      0.0178107645f,   -0.0226043307f,  -0.058922687f,
                                      0.750494317f,    1.65365456f};
  static constexpr float kTail[] = {
      6.06285645e-06f, -3.75140112e-06f, -4.81052556e-05f, 0.00017489639f, -0.000400397638f,
      0.000786465765f, -0.0015825699f,   0.00302136818f,   0.753944226f,   3.08388561f};
};

template <typename T>
Vec<T> inverse_error(Vec<T> x) {
  using Terms = InverseErrorTerms<T>;
  const Vec<T> size = abs(x), one(T(1));
  const Vec<T> w = -log((one - size) * (one + size));
  Vec<T> ratio = accurate_polynomial(w * T(0.32) - one, Terms::kMiddle);
  if (any(w > T(6.25))) {
    const Vec<T> root = sqrt(w);
    ratio =
        where(w > T(6.25), accurate_polynomial((root - T(3.25)) * T(4.0 / 3), Terms::kTail), ratio);
    if constexpr (sizeof(T) == 8) {
      if (any(w > T(16)))
        ratio = where(w > T(16),
                      accurate_polynomial((root - T(5.025)) / Vec<T>(T(1.025)), Terms::kFarTail),
                      ratio);
    }
    ratio = where(size == one, Vec<T>(T(INFINITY)), ratio);
  }
  return x * ratio;
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
