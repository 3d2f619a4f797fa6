// Prints what the dispatcher knows about an operator: registrations and the computed table.

#include <ATen/core/dispatch/DispatchDump.h>

#include <algorithm>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/util/Exception.h>

namespace at {

using c10::DispatchKey;
using c10::str;

namespace {

void* generated_slot(const OperatorEntry& op, int slot) {
  return (op.overrides ? op.overrides->generated : op.table)[slot];
}

// The key that the kernel of a slot was written for. torchgen expands alias keys when it writes a
// table: a composite kernel fills the slots of backends and that of Undefined.
DispatchKey generated_key(const OperatorEntry& op, int slot) {
  void* composite = generated_slot(op, kUndefinedSlot);
  if (slot == kAutogradSlot) return DispatchKey::Autograd;
  if (composite && generated_slot(op, slot) == composite) {
    return generated_slot(op, kAutogradSlot) ? DispatchKey::CompositeExplicitAutograd
                                             : DispatchKey::CompositeImplicitAutograd;
  }
  return slot == kUndefinedSlot
             ? DispatchKey::Undefined
             : c10::key_of(c10::Functionality::Dense,
                           static_cast<c10::BackendComponent>(slot - kFirstDenseSlot));
}

std::string generated_location(const OperatorEntry& op, int slot) {
  void* kernel = generated_slot(op, slot);
  const char* name = nullptr;
  for (const KernelSource* s = op.sources; s && s->name; ++s) {
    if (slot_of(s->key) != slot) continue;
    name = s->name;
    kernel = s->stub ? s->stub() : s->function;
  }
  const c10::CodePlace& place = place_of_kernel(kernel);
  std::string function = name ? name : place.function;
  std::string text = place.file.empty() ? "an unknown place" : str(place.file, ":", place.line);
  return function.empty() ? text : str(text, " (", function, ")");
}

// "(Tensor _0, int[] _1) -> Tensor _0": types only; the schema has the rest.
std::string signature(const OperatorEntry& op) {
  const FunctionSchema& schema = schema_of(op);
  auto types = [](const std::vector<SchemaArgument>& list) {
    std::string text;
    for (size_t k = 0; k < list.size(); ++k) {
      const SchemaType& t = list[k].type;
      text += str(k ? ", " : "", t.base, t.element_optional ? "?" : "", t.is_list ? "[]" : "",
                  t.optional ? "?" : "", " _", k);
    }
    return text;
  };
  std::string returns = types(schema.returns);
  if (schema.returns.size() != 1) returns = "(" + returns + ")";
  return "(" + types(schema.arguments) + ") -> " + returns;
}

// Entries name the functions that serve CUDA as well; there is no kernel before that backend is
// loaded.
bool slot_is_served(int slot) {
  return slot != slot_of(DispatchKey::CUDA) ||
         c10::impl::backend_library_is_loaded(c10::DeviceType::CUDA);
}

// The slots with a generated kernel; for those that an alias key fills, only the first.
std::vector<int> generated_slots(const OperatorEntry& op) {
  std::vector<int> slots;
  std::vector<DispatchKey> aliases;
  for (int slot = 0; slot < kNumKernelSlots; ++slot) {
    if (!generated_slot(op, slot) || !slot_is_served(slot)) continue;
    DispatchKey key = generated_key(op, slot);
    if (c10::isAliasDispatchKey(key)) {
      if (std::find(aliases.begin(), aliases.end(), key) != aliases.end()) continue;
      aliases.push_back(key);
    }
    slots.push_back(slot);
  }
  return slots;
}

const char* reason(DispatchKey registered_at) {
  switch (registered_at) {
    case DispatchKey::CompositeImplicitAutograd:
      return "math kernel";
    case DispatchKey::CompositeExplicitAutograd:
      return "default backend kernel";
    case DispatchKey::Autograd:
      return "autograd kernel";
    default:
      return "kernel";
  }
}

DispatchKey key_of_handle(const KernelOverrides& overrides, int64_t handle, DispatchKey key) {
  for (const AliasedRegistration& m : overrides.made) {
    if (m.handle == handle) return m.key;
  }
  return key;
}

}  // namespace

std::vector<KernelRegistration> kernel_registrations(const OperatorEntry& op) {
  std::vector<KernelRegistration> found;
  for (int slot : generated_slots(op))
    found.push_back({generated_key(op, slot), generated_location(op, slot), true, true, true});
  if (op.overrides) {
    for (const AliasedRegistration& m : op.overrides->made) {
      for (KernelRegistration& older : found) older.active &= older.key != m.key;
      found.push_back({m.key, m.kernel.debug, true, m.kernel.unboxed != nullptr, true});
    }
  }
  return found;
}

std::vector<DispatchKey> registered_keys(const OperatorEntry& op) {
  std::vector<DispatchKey> keys;
  for (int slot : generated_slots(op)) keys.push_back(generated_key(op, slot));
  if (op.overrides) {
    for (const AliasedRegistration& m : op.overrides->made) keys.push_back(m.key);
  }
  return keys;
}

bool has_registered_kernel(const OperatorEntry& op, DispatchKey key) {
  std::vector<DispatchKey> keys = registered_keys(op);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool has_computed_kernel(const OperatorEntry& op, DispatchKey key) {
  if (c10::isAliasDispatchKey(key)) return false;
  if (op.table[slot_of(key)] && !slot_is_served(slot_of(key))) return false;
  return op.table[slot_of(key)] || find_kernel(op, c10::DispatchKeySet(key));
}

std::string dump_operator(const OperatorEntry& op) {
  std::string place = definition_location(op);
  std::string text =
      str("name: ", full_name(op), "\nschema: ", op.schema, "\ndebug: registered ",
          place.empty() ? "by torchgen" : "at " + place, "\nalias analysis kind: FROM_SCHEMA\n");
  for (const KernelRegistration& r : kernel_registrations(op)) {
    text += str(c10::toString(r.key), c10::isAliasDispatchKey(r.key) ? "[alias]" : "",
                r.active ? "" : " (inactive)", ": registered at ", r.place,
                " :: ", r.unboxed ? signature(op) : "(none)", " [ ", r.boxed ? "boxed " : "",
                r.unboxed ? "unboxed " : "", "]\n");
  }
  return text;
}

std::string dump_table(const OperatorEntry& op) {
  std::string text;
  for (int k = 0; k < c10::kNumRuntimeKeys; ++k) {
    auto key = static_cast<DispatchKey>(k);
    auto line = [&](const std::string& what, const char* why) {
      text += str(c10::toString(key), ": ", what, " [", why, "]\n");
    };
    const std::vector<Registration>* own = op.overrides ? op.overrides->at(key) : nullptr;
    int slot = slot_of(key);
    if (own && !own->empty()) {
      const Registration& r = own->back();
      line("registered at " + r.kernel.debug, reason(key_of_handle(*op.overrides, r.handle, key)));
    } else if (void* kernel = generated_kernel(op, key)) {
      if (generated_slot(op, slot) != kernel) slot = kUndefinedSlot;
      line("registered at " + generated_location(op, slot), reason(generated_key(op, slot)));
    } else if (const Override* fallback = find_fallback(key)) {
      line("registered at " + fallback->debug, "backend fallback");
    } else if (!c10::DispatchKeySet(op.considered_keys).has(functionality_of(key)) && k != 0) {
      line("fallthrough", "backend fallback");
    }
  }
  return text;
}

std::string dump_table(const char* name) {
  OperatorEntry* op = find_operator(name);
  TORCH_CHECK(op, "dump_table: there is no operator ", name);
  return dump_table(*op);
}

}  // namespace at
