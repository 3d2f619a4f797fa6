#include <ATen/core/dispatch/DispatchDump.h>

#include <algorithm>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/KernelRegistrations.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <c10/util/Exception.h>

namespace at {

using c10::DispatchKey;
using c10::kNumRuntimeKeys;
using c10::str;

namespace {

void* generated_kernel(const OperatorEntry& op, int column) {
  return op.overrides ? op.overrides->generated[column] : op.table[column];
}

// The key that a generated column was written for. torchgen spreads alias keys when it writes a
// table: a composite kernel stands in every backend's column and in that of Undefined.
DispatchKey generated_key(const OperatorEntry& op, int column) {
  auto key = static_cast<DispatchKey>(column);
  void* composite = generated_kernel(op, 0);
  if (composite && generated_kernel(op, column) == composite) {
    bool explicit_autograd = generated_kernel(op, static_cast<int>(DispatchKey::AutogradCPU));
    return explicit_autograd ? DispatchKey::CompositeExplicitAutograd
                             : DispatchKey::CompositeImplicitAutograd;
  }
  return c10::autograd_dispatch_keyset.has(key) ? DispatchKey::Autograd : key;
}

std::string generated_place(const OperatorEntry& op, int column) {
  void* kernel = generated_kernel(op, column);
  const char* name = nullptr;
  for (const KernelSource* s = op.sources; s && s->name; ++s) {
    if (s->column != column) continue;
    name = s->name;
    kernel = s->stub ? s->stub() : s->function;
  }
  const c10::CodePlace& place = place_of_kernel(kernel);
  std::string function = name ? name : place.function;
  std::string text = place.file.empty() ? "an unknown place" : str(place.file, ":", place.line);
  return function.empty() ? text : str(text, " (", function, ")");
}

// "(Tensor _0, int[] _1) -> Tensor _0": types alone, for schemas say the rest.
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

bool is_alias(DispatchKey key) { return static_cast<int>(key) >= kNumRuntimeKeys; }

// The columns with a generated kernel; of those that an alias key fills, the first.
std::vector<int> generated_columns(const OperatorEntry& op) {
  std::vector<int> columns;
  uint64_t aliases = 0;  // those seen, counted from Autograd on
  for (int column = 0; column < kNumRuntimeKeys; ++column) {
    if (!generated_kernel(op, column)) continue;
    DispatchKey key = generated_key(op, column);
    if (is_alias(key)) {
      uint64_t bit =
          uint64_t(1) << (static_cast<int>(key) - static_cast<int>(DispatchKey::Autograd));
      if (aliases & bit) continue;
      aliases |= bit;
    }
    columns.push_back(column);
  }
  return columns;
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

DispatchKey key_of_handle(const KernelOverrides& overrides, int64_t handle, int column) {
  for (const AliasedRegistration& m : overrides.made) {
    if (m.handle == handle) return m.key;
  }
  return static_cast<DispatchKey>(column);
}

}  // namespace

std::vector<KernelRegistration> kernel_registrations(const OperatorEntry& op) {
  std::vector<KernelRegistration> found;
  for (int column : generated_columns(op))
    found.push_back({generated_key(op, column), generated_place(op, column), true, true, true});
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
  for (int column : generated_columns(op)) keys.push_back(generated_key(op, column));
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
  if (is_alias(key)) return false;
  return op.table[static_cast<int>(key)] || find_override(op, c10::DispatchKeySet(key));
}

std::string dump_operator(const OperatorEntry& op) {
  std::string place = definition_place(op);
  std::string text =
      str("name: ", full_name(op), "\nschema: ", op.schema, "\ndebug: registered ",
          place.empty() ? "by torchgen" : "at " + place, "\nalias analysis kind: FROM_SCHEMA\n");
  for (const KernelRegistration& r : kernel_registrations(op)) {
    text +=
        str(c10::toString(r.key), is_alias(r.key) ? "[alias]" : "", r.active ? "" : " (inactive)",
            ": registered at ", r.place, " :: ", r.unboxed ? signature(op) : "(none)", " [ ",
            r.boxed ? "boxed " : "", r.unboxed ? "unboxed " : "", "]\n");
  }
  return text;
}

std::string dump_table(const OperatorEntry& op) {
  std::string text;
  for (int column = 0; column < static_cast<int>(DispatchKey::EndOfRuntimeKeys); ++column) {
    auto line = [&](const std::string& what, const char* why) {
      text += str(c10::toString(static_cast<DispatchKey>(column)), ": ", what, " [", why, "]\n");
    };
    const std::vector<Registration>* own = op.overrides ? &op.overrides->of[column] : nullptr;
    if (own && !own->empty()) {
      const Registration& r = own->back();
      line("registered at " + r.kernel.debug,
           reason(key_of_handle(*op.overrides, r.handle, column)));
    } else if (op.table[column]) {
      line("registered at " + generated_place(op, column), reason(generated_key(op, column)));
    } else if (const Override* fallback = find_fallback(column)) {
      line("registered at " + fallback->debug, "backend fallback");
    } else if (!((op.considered_keys >> column) & 1)) {
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
