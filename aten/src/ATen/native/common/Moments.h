#pragma once
// Means and sums of squared differences from them.

namespace at::native {

// Adds the moments of `count` > 0 numbers to those of `before` numbers, by Chan, Golub and
// LeVeque's formula ("Updating formulae and a pairwise algorithm for computing sample variances",
// 1979).
inline void merge_moments(double& mean, double& squares, double before, double more_mean,
                          double more_squares, double count) {
  if (before == 0) {
    // Not by the formula, which would multiply squares that overflow by 0.
    mean = more_mean;
    squares = more_squares;
    return;
  }
  const double all = before + count, apart = more_mean - mean;
  mean += apart * (count / all);
  squares += more_squares + apart * apart * (before * count / all);
}

}  // namespace at::native
