#pragma once
// Anomaly mode: remembers where each node of the graph was made, and says so when its backward
// fails or gives NaN.

#include <string>

namespace torch::autograd {

struct AnomalyMode {
  static inline bool enabled = false;
  static inline bool check_nan = true;
  // The stack of the caller in words; set by the Python layer.
  static inline std::string (*traceback)() = nullptr;
};

}  // namespace torch::autograd
