#pragma once
// The inverse of the error function, in double.
//
// erfinv(x) / x is smooth in w = -log(1 - x^2) near zero, and in the square root of w in the tails
// (M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2010). The polynomials
// interpolate it at Chebyshev points of [0, 6.25] in w, and of [2.5, 4] and [4, 6.05] in its root,
// mapped to [-1, 1]; highest power first, with relative errors of 3e-17.

#include <cmath>

#include <ATen/native/common/Piecewise.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

AT_TABLE double kInverseErrorMiddle[] = {
    7.801712199036252148e-10,   -8.577966939639941468e-11, -8.627191009014393973e-9,
    9.072075947892909342e-9,    3.931511157646558331e-8,   -1.051499071337143651e-7,
    -1.041269284115963582e-8,   5.456420572209781581e-7,   -1.059118809818753117e-6,
    -6.876551807254939857e-7,   7.129939743146950264e-6,   -0.0000112556539839694204,
    -0.00001502766577311719381, 0.00009336692787624058353, -0.0001168888508125076008,
    -0.0002643935864664605687,  0.001232485570299421454,   -0.001271692276988511447,
    -0.004137314377547894925,   0.01780836181875690242,    -0.02260444745344473227,
    -0.05892256710378759652,    0.7504943200799635134,     1.653654562683102746};
AT_TABLE double kInverseErrorTail[] = {
    2.435554345265572409e-11,  -6.471554767207545992e-11, -1.179100761769929036e-10,
    9.891297510532429355e-10,  -2.460529113922730477e-9,  -3.690608707808929568e-10,
    2.639903235291529733e-8,   -9.468946844911027914e-8,  9.289338749101434781e-8,
    5.264621626938461177e-7,   -2.66479384671590618e-6,   5.127316786334848195e-6,
    2.405864805789803702e-6,   -0.0000473918273161823244, 0.0001696650219754376471,
    -0.0004006356983535858356, 0.0007883078513066944989,  -0.00158254108940730967,
    0.003021139436374706081,   0.7539442257706240372,     3.083885610492220676};
AT_TABLE double kInverseErrorFarTail[] = {
    -2.762203921819005226e-11, 5.370930841736792429e-11,   1.102858296734360991e-10,
    -5.976977304228830947e-10, 1.664919684502881605e-9,    -4.174885165379395791e-9,
    9.071129273532404183e-9,   -1.716125500484707117e-8,   3.218458654723750518e-8,
    -7.592556396109722185e-8,  2.615023553264020474e-7,    -1.127691304918690782e-6,
    5.051850859947656118e-6,   -0.00002151451802051585183, 0.00008121518757829594243,
    -0.000223511020701235915,  -0.000162389479135012137,   1.035550458689396287,
    4.875163823000272901};

template <size_t N>
C10_HOST_DEVICE double horner(double x, const double (&terms)[N]) {
  double sum = terms[0];
  for (size_t k = 1; k < N; ++k) sum = std::fma(sum, x, terms[k]);
  return sum;
}

C10_HOST_DEVICE inline double inverse_error(double x) {
  const double size = std::fabs(x);
  if (size == 1) return x * INFINITY;
  const double w = -std::log((1 - size) * (1 + size));
  if (!(w > 6.25)) return x * horner(w * 0.32 - 1, kInverseErrorMiddle);
  const double root = std::sqrt(w);
  return x * (w > 16 ? horner((root - 5.025) / 1.025, kInverseErrorFarTail)
                     : horner((root - 3.25) * (4.0 / 3), kInverseErrorTail));
}

}  // namespace CPU_CAPABILITY
}  // namespace at::native
