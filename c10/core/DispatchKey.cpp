// Names of dispatch keys, and the keys of devices.

#include <c10/core/DispatchKey.h>

#include <c10/core/DispatchKeySet.h>
#include <c10/util/Exception.h>

namespace c10 {

static const char* const kRuntimeNames[] = {"Undefined",
#define BACKEND(prefix, name) #prefix #name,
#define KEY(name) #name,
#define PER_BACKEND(name, prefix) C10_FORALL_BACKENDS(BACKEND, prefix)
                                            C10_FORALL_FUNCTIONALITIES(KEY, PER_BACKEND)
#undef PER_BACKEND
#undef BACKEND
};
static const char* const kAliasNames[] = {C10_FORALL_ALIAS_KEYS(KEY)};
#undef KEY
static_assert(sizeof(kRuntimeNames) / sizeof(char*) == kNumRuntimeKeys,
              "every runtime key has a name");
constexpr int kFirstAlias = static_cast<int>(DispatchKey::FirstAliasKey);
constexpr int kNumAliases = static_cast<int>(DispatchKey::EndOfAliasKeys) - kFirstAlias;

const char* toString(DispatchKey key) {
  int k = static_cast<int>(key);
  if (k < kNumRuntimeKeys) return kRuntimeNames[k];
  k -= kFirstAlias;
  return k >= 0 && k < kNumAliases ? kAliasNames[k] : "UNKNOWN_DISPATCH_KEY";
}

std::string to_string(DispatchKey key) { return toString(key); }

DispatchKey parseDispatchKey(std::string_view name) {
  for (int k = 0; k < kNumRuntimeKeys; ++k) {
    if (name == kRuntimeNames[k]) return static_cast<DispatchKey>(k);
  }
  for (int k = 0; k < kNumAliases; ++k) {
    if (name == kAliasNames[k]) return static_cast<DispatchKey>(k + kFirstAlias);
  }
  return DispatchKey::Undefined;
}

BackendComponent backend_component_of(DeviceType type) {
  switch (type) {
#define BACKEND(prefix, name) \
  case DeviceType::name:      \
    return BackendComponent::name;
    BACKEND(, CPU)
    BACKEND(, CUDA)
    BACKEND(, HIP)
    BACKEND(, XLA)
    BACKEND(, MPS)
    BACKEND(, IPU)
    BACKEND(, XPU)
    BACKEND(, HPU)
    BACKEND(, VE)
    BACKEND(, Lazy)
    BACKEND(, MTIA)
    BACKEND(, MAIA)
    BACKEND(, PrivateUse1)
    BACKEND(, Meta)
#undef BACKEND
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "device '", DeviceTypeName(type),
                                  "' is known by name, but this build has no backend for it");
  }
}

DispatchKey computeDispatchKey(DeviceType type) {
  return key_of(Functionality::Dense, backend_component_of(type));
}

std::string toString(DispatchKeySet set) {
  std::string s = "DispatchKeySet(";
  bool first = true;
  for (int k = 1; k < kNumRuntimeKeys; ++k) {
    if (!set.has(static_cast<DispatchKey>(k))) continue;
    if (!first) s += ", ";
    s += kRuntimeNames[k];
    first = false;
  }
  return s + ")";
}
std::string to_string(DispatchKeySet set) { return toString(set); }

}  // namespace c10
