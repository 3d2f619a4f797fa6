#pragma once
// DispatchKeySet: a set of dispatch keys in one word.

#include <initializer_list>

#include <c10/core/DispatchKey.h>

namespace c10 {

class DispatchKeySet final {
 public:
  constexpr DispatchKeySet() = default;
  constexpr explicit DispatchKeySet(uint64_t bits) : bits_(bits) {}
  constexpr DispatchKeySet(DispatchKey key)
      : bits_(key == DispatchKey::Undefined ? 0 : uint64_t(1) << static_cast<uint8_t>(key)) {}
  constexpr DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (DispatchKey key : keys) bits_ |= DispatchKeySet(key).bits_;
  }

  constexpr uint64_t raw_repr() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(DispatchKey key) const { return (bits_ & DispatchKeySet(key).bits_) != 0; }
  constexpr bool has_any(DispatchKeySet o) const { return (bits_ & o.bits_) != 0; }
  constexpr bool has_all(DispatchKeySet o) const { return (bits_ & o.bits_) == o.bits_; }
  constexpr DispatchKeySet add(DispatchKey key) const { return *this | DispatchKeySet(key); }
  constexpr DispatchKeySet remove(DispatchKey key) const { return *this - DispatchKeySet(key); }

  // The table column of the highest key; 0, that of Undefined, for the empty set.
  constexpr int highest_index() const { return 63 - __builtin_clzll(bits_ | 1); }
  constexpr DispatchKey highestPriorityTypeId() const {
    return static_cast<DispatchKey>(highest_index());
  }
  // The keys below the given one: where a kernel sends a call onwards.
  constexpr DispatchKeySet below(DispatchKey key) const {
    return DispatchKeySet(bits_ & ((uint64_t(1) << static_cast<uint8_t>(key)) - 1));
  }

  friend constexpr DispatchKeySet operator|(DispatchKeySet a, DispatchKeySet b) {
    return DispatchKeySet(a.bits_ | b.bits_);
  }
  friend constexpr DispatchKeySet operator&(DispatchKeySet a, DispatchKeySet b) {
    return DispatchKeySet(a.bits_ & b.bits_);
  }
  friend constexpr DispatchKeySet operator-(DispatchKeySet a, DispatchKeySet b) {
    return DispatchKeySet(a.bits_ & ~b.bits_);
  }
  friend constexpr bool operator==(DispatchKeySet a, DispatchKeySet b) {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(DispatchKeySet a, DispatchKeySet b) {
    return a.bits_ != b.bits_;
  }

 private:
  uint64_t bits_ = 0;
};

std::string toString(DispatchKeySet set);
std::string to_string(DispatchKeySet set);

constexpr DispatchKeySet backend_keyset{DispatchKey::CPU,         DispatchKey::CUDA,
                                        DispatchKey::Meta,        DispatchKey::PrivateUse1,
                                        DispatchKey::SparseCPU,   DispatchKey::SparseCUDA,
                                        DispatchKey::QuantizedCPU};
constexpr DispatchKeySet autograd_dispatch_keyset{
    DispatchKey::AutogradOther, DispatchKey::AutogradCPU, DispatchKey::AutogradCUDA,
    DispatchKey::AutogradMeta, DispatchKey::AutogradPrivateUse1};
// Everything that a kernel standing at autograd may redispatch to.
constexpr DispatchKeySet after_autograd_keyset{
    (uint64_t(1) << static_cast<uint8_t>(DispatchKey::AutogradOther)) - 1};

}  // namespace c10
