#pragma once
// DispatchKeySet: a set of dispatch keys in one word; see Note [Dispatch keys].

#include <initializer_list>

#include <c10/core/DispatchKey.h>

namespace c10 {

class DispatchKeySet final {
 public:
  constexpr DispatchKeySet() = default;
  constexpr explicit DispatchKeySet(uint64_t bits) : bits_(bits) {}
  constexpr DispatchKeySet(Functionality f) : bits_(bit(f)) {}
  constexpr DispatchKeySet(BackendComponent backend) : bits_(bit(backend)) {}
  constexpr DispatchKeySet(DispatchKey key) : bits_(bits_of(key)) {}
  constexpr DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (DispatchKey key : keys) bits_ |= bits_of(key);
  }

  constexpr uint64_t raw_repr() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(DispatchKey key) const {
    return key != DispatchKey::Undefined && has_all(DispatchKeySet(key));
  }
  constexpr bool has(Functionality f) const { return (bits_ & bit(f)) != 0; }
  constexpr bool has(BackendComponent backend) const { return (bits_ & bit(backend)) != 0; }
  // Whether the sets share a functionality; for one that is per backend, they must also share a
  // backend.
  constexpr bool has_any(DispatchKeySet o) const {
    uint64_t common = bits_ & o.bits_;
    return (common & kPerBackend ? common & kBackends : 0) || (common & ~kBackends & ~kPerBackend);
  }
  constexpr bool has_all(DispatchKeySet o) const { return (bits_ & o.bits_) == o.bits_; }
  constexpr DispatchKeySet add(DispatchKey key) const { return *this | DispatchKeySet(key); }
  constexpr DispatchKeySet remove(DispatchKey key) const { return *this - DispatchKeySet(key); }
  // The backends stay: other keys may need them.
  constexpr DispatchKeySet without(Functionality f) const {
    return DispatchKeySet(bits_ & ~bit(f));
  }

  // The number of the highest key; 0, that of Undefined, without a functionality.
  constexpr int highest_index() const { return highest_in(impl::kKeyRanges.of); }
  // The index of the highest key in a table laid out by these ranges.
  constexpr int highest_in(const impl::KeyRange* ranges) const {
    int f = 63 - __builtin_clzll(bits_ | kLastBackend) - (kNumBackends - 1);
    int backend = 31 - __builtin_clz(static_cast<uint32_t>(bits_ & kBackends) | 1);
    return ranges[f].first + (backend & ranges[f].mask);
  }
  constexpr DispatchKey highestPriorityTypeId() const {
    return static_cast<DispatchKey>(highest_index());
  }
  // The keys below the given one: those that a kernel redispatches to.
  constexpr DispatchKeySet below(DispatchKey key) const {
    return DispatchKeySet(bits_ & (bit(functionality_of(key)) - 1));
  }

  friend constexpr DispatchKeySet operator|(DispatchKeySet a, DispatchKeySet b) {
    return DispatchKeySet(a.bits_ | b.bits_);
  }
  friend constexpr DispatchKeySet operator&(DispatchKeySet a, DispatchKeySet b) {
    return DispatchKeySet(a.bits_ & b.bits_);
  }
  // Removes functionalities. The backends stay: other keys may need them.
  friend constexpr DispatchKeySet operator-(DispatchKeySet a, DispatchKeySet b) {
    return DispatchKeySet(a.bits_ & (~b.bits_ | kBackends));
  }
  friend constexpr bool operator==(DispatchKeySet a, DispatchKeySet b) {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(DispatchKeySet a, DispatchKeySet b) {
    return a.bits_ != b.bits_;
  }

  // The bits of all backends, and of the functionalities with a key per backend.
  static constexpr uint64_t kBackends = (uint64_t(1) << kNumBackends) - 1;
  static constexpr uint64_t bit(Functionality f) {
    return f == Functionality::Undefined ? 0
                                         : uint64_t(1) << (kNumBackends - 1 + static_cast<int>(f));
  }
  static constexpr uint64_t bit(BackendComponent backend) {
    return uint64_t(1) << static_cast<int>(backend);
  }

 private:
  static constexpr uint64_t kLastBackend = uint64_t(1) << (kNumBackends - 1);
  static constexpr uint64_t kPerBackend =
#define KEY(name)
#define PER_BACKEND(name, prefix) \
  (uint64_t(1) << (kNumBackends - 1 + static_cast<int>(Functionality::name))) |
      C10_FORALL_FUNCTIONALITIES(KEY, PER_BACKEND) 0;
#undef KEY
#undef PER_BACKEND

  static constexpr uint64_t bits_of(DispatchKey key) {
    if (key == DispatchKey::Undefined || isAliasDispatchKey(key)) return 0;
    Functionality f = functionality_of(key);
    return bit(f) | (is_per_backend(f) ? bit(backend_of(key)) : 0);
  }

  uint64_t bits_ = 0;
};

std::string toString(DispatchKeySet set);
std::string to_string(DispatchKeySet set);

// Functionalities whose kernels compute: all that own memory.
constexpr DispatchKeySet backend_functionalities{
    DispatchKeySet::bit(Functionality::NestedTensor) * 2 - 1 - DispatchKeySet::kBackends};
// The backends' keys.
constexpr DispatchKeySet backend_keyset =
    backend_functionalities | DispatchKeySet(DispatchKeySet::kBackends);
// Only functionalities, so that excluding them removes no backend.
constexpr DispatchKeySet autograd_dispatch_keyset =
    DispatchKeySet(Functionality::AutogradOther) |
    DispatchKeySet(Functionality::AutogradFunctionality) |
    DispatchKeySet(Functionality::AutogradNestedTensor);
// The bits of tensors whose elements differ from their memory: Note [Lazy conjugates].
constexpr DispatchKeySet lazy_bits_keyset =
    DispatchKeySet(Functionality::Conjugate) | DispatchKeySet(Functionality::Negative);
// Everything that a kernel registered at autograd may redispatch to.
constexpr DispatchKeySet after_autograd_keyset{DispatchKeySet::bit(Functionality::AutogradOther) -
                                               1};

}  // namespace c10
