// No #pragma once: each capability has its own. Written by: python -m tools.fit digammas

// x^2 (log(x) - 1 / 2x - digamma(x)), in 1 / x^2
AT_TABLE Piece kDigammaRest[] = {
    {0.013888888889388889,
     72.000000002592,
     7,
     {0x1.54dcc2f92e020p-4, -0x1.df2a9e9bb46c4p-14, 0x1.89d6b824c0116p-21, -0x1.5c33ed9ceee78p-27,
      0x1.02745b3e1107ap-32, -0x1.1cbeda8b90452p-37, 0x1.ab1133e5f64c5p-42}},
};

// x^3 (trigamma(x) - 1 / x - 1 / 2x^2), in 1 / x^2
AT_TABLE Piece kTrigammaRest[] = {
    {0.013888888889388889,
     72.000000002592,
     9,
     {0x1.5464f85186fb3p-3, -0x1.dc16f12b4421fp-12, 0x1.234c6dc8a3327p-18, -0x1.5420735d8cd31p-24,
      0x1.3800c9fc88af9p-29, -0x1.95272a86db09ep-34, 0x1.5c033cfdb8a74p-38, -0x1.7fe0ad95b1591p-42,
      0x1.fe42f45679307p-46}},
};
