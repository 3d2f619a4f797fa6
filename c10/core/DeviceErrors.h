#pragma once
// Errors of devices other than the CPU.

#include <c10/util/Exception.h>

namespace c10 {

// torch.AcceleratorError in Python: what the runtime of a device reports.
class C10_API AcceleratorError : public Error {
 public:
  AcceleratorError(std::string text, int code) : Error(std::move(text)), code_(code) {}
  ~AcceleratorError() override;
  int code() const { return code_; }

 private:
  int code_;
};

// torch.OutOfMemoryError in Python; the CPU's is a RuntimeError, as in PyTorch.
class C10_API DeviceOutOfMemoryError : public OutOfMemoryError {
 public:
  using OutOfMemoryError::OutOfMemoryError;
  ~DeviceOutOfMemoryError() override;
};

}  // namespace c10
