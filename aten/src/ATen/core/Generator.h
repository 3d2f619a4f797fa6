#pragma once
// Generator: a source of random numbers with its state. CPUGeneratorImpl.h defines the CPU's.

#include <mutex>

#include <c10/core/Device.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/util/intrusive_ptr.h>

namespace at {

class Tensor;

struct GeneratorImpl : c10::intrusive_ptr_target {
  explicit GeneratorImpl(c10::Device device) : device_(device) {}
  virtual void set_current_seed(uint64_t seed) = 0;
  virtual uint64_t current_seed() const = 0;
  // Seeds from the operating system's entropy and returns the seed.
  virtual uint64_t seed() = 0;
  // The state as a byte tensor, in PyTorch's layout.
  virtual Tensor get_state() const = 0;
  virtual void set_state(const Tensor& state) = 0;
  virtual c10::intrusive_ptr<GeneratorImpl> clone() const = 0;
  // How far a counter-based generator has come; others have none, and throw.
  virtual uint64_t get_offset() const;
  virtual void set_offset(uint64_t offset);
  c10::Device device() const { return device_; }

  // Locked while numbers are drawn.
  std::mutex mutex_;

 private:
  c10::Device device_;
};

class Generator {
 public:
  Generator() = default;
  explicit Generator(c10::intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
  bool defined() const { return impl_.defined(); }
  c10::Device device() const { return impl_->device(); }
  GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
  std::mutex& mutex() const { return impl_->mutex_; }
  template <typename T>
  T* get() const {
    return static_cast<T*>(impl_.get());
  }
  void set_current_seed(uint64_t seed) const { impl_->set_current_seed(seed); }
  uint64_t current_seed() const { return impl_->current_seed(); }
  uint64_t seed() const { return impl_->seed(); }
  friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }

 private:
  c10::intrusive_ptr<GeneratorImpl> impl_;
};

}  // namespace at
