#pragma once
// DispatchKey: a reason why a call goes to one kernel rather than another. See Note [Dispatch
// keys].

#include <cstdint>
#include <string>
#include <string_view>

#include <c10/core/Device.h>
#include <c10/core/DispatchKeyList.h>

namespace c10 {

// Where memory is located: the low bits of a key set.
enum class BackendComponent : uint8_t {
#define BACKEND(prefix, name) prefix##name,
  C10_FORALL_BACKENDS(BACKEND, )
#undef BACKEND
};

// What a call passes through, lowest priority first: the high bits.
enum class Functionality : uint8_t {
  Undefined,
#define KEY(name) name,
#define PER_BACKEND(name, prefix) name,
  C10_FORALL_FUNCTIONALITIES(KEY, PER_BACKEND)
#undef KEY
#undef PER_BACKEND
};

// A key's number is its row in tables of kernels; keys are in order of priority.
enum class DispatchKey : uint16_t {
  Undefined = 0,
#define BACKEND(prefix, name) prefix##name,
#define KEY(name) name,
#define PER_BACKEND(name, prefix) C10_FORALL_BACKENDS(BACKEND, prefix)
  C10_FORALL_FUNCTIONALITIES(KEY, PER_BACKEND)
#undef KEY
#undef PER_BACKEND
#undef BACKEND
      EndOfRuntimeKeys,

  FirstAliasKey = 512,
  BeforeAliasKeys = FirstAliasKey - 1,
#define KEY(name) name,
  C10_FORALL_ALIAS_KEYS(KEY)
#undef KEY
      EndOfAliasKeys,
  CatchAll = CompositeImplicitAutograd,
};

constexpr int kNumRuntimeKeys = static_cast<int>(DispatchKey::EndOfRuntimeKeys);

#define ONE(...) +1
constexpr int kNumBackends = 0 C10_FORALL_BACKENDS(ONE, );
constexpr int kNumFunctionalities = 0 C10_FORALL_FUNCTIONALITIES(ONE, ONE);  // without Undefined
#undef ONE
static_assert(kNumBackends + kNumFunctionalities <= 64, "a key set is one word");

namespace impl {

// Where each functionality's keys begin, and how many low bits of the backend's number count.
struct KeyRange {
  uint8_t first = 0;
  uint8_t mask = 0;
};
struct KeyRanges {
  KeyRange of[kNumFunctionalities + 1];
  uint8_t functionality[kNumRuntimeKeys] = {};

  constexpr KeyRanges() {
    int f = 0, key = 1;
    auto add = [&](int count) {
      ++f;
      of[f].first = static_cast<uint8_t>(key);
      of[f].mask = static_cast<uint8_t>(count - 1);
      for (int end = key + count; key < end; ++key) functionality[key] = static_cast<uint8_t>(f);
    };
#define KEY(name) add(1);
#define PER_BACKEND(name, prefix) add(kNumBackends);
    C10_FORALL_FUNCTIONALITIES(KEY, PER_BACKEND)
#undef KEY
#undef PER_BACKEND
  }
};
static_assert((kNumBackends & (kNumBackends - 1)) == 0, "KeyRange::mask takes low bits");
static_assert(kNumRuntimeKeys <= 256, "key numbers are kept in bytes");
constexpr KeyRanges kKeyRanges;  // not inline: a table per file is read without indirection

}  // namespace impl

constexpr bool isAliasDispatchKey(DispatchKey key) { return key >= DispatchKey::FirstAliasKey; }
// The functionality and the backend of a runtime key.
constexpr Functionality functionality_of(DispatchKey key) {
  return static_cast<Functionality>(impl::kKeyRanges.functionality[static_cast<int>(key)]);
}
constexpr bool is_per_backend(Functionality f) {
  return impl::kKeyRanges.of[static_cast<int>(f)].mask != 0;
}
// The backend of a key that is per backend.
constexpr BackendComponent backend_of(DispatchKey key) {
  int first = impl::kKeyRanges.of[static_cast<int>(functionality_of(key))].first;
  return static_cast<BackendComponent>(static_cast<int>(key) - first);
}
constexpr DispatchKey key_of(Functionality f, BackendComponent backend = BackendComponent::CPU) {
  impl::KeyRange range = impl::kKeyRanges.of[static_cast<int>(f)];
  return static_cast<DispatchKey>(range.first + (static_cast<int>(backend) & range.mask));
}

const char* toString(DispatchKey key);
std::string to_string(DispatchKey key);
// Undefined if there is no key of that name.
DispatchKey parseDispatchKey(std::string_view name);

// The backend of a device type; throws if PyTorch has no dense kernels for it.
BackendComponent backend_component_of(DeviceType type);
// The key of the dense kernels for a device.
DispatchKey computeDispatchKey(DeviceType type);
// The autograd key above a backend's key.
constexpr DispatchKey getAutogradKeyFromBackend(DispatchKey backend) {
  if (functionality_of(backend) == Functionality::Dense)
    return key_of(Functionality::AutogradFunctionality, backend_of(backend));
  return functionality_of(backend) == Functionality::NestedTensor
             ? DispatchKey::AutogradNestedTensor
             : DispatchKey::AutogradOther;
}

}  // namespace c10
