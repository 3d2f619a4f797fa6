// The registry of operators, and kernels and fallbacks registered at run time.

#include <ATen/core/dispatch/KernelRegistrations.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <ATen/core/dispatch/BackendTable.h>
#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/core/ivalue.h>
#include <c10/core/impl/BackendLibrary.h>
#include <c10/util/ForkMutex.h>

namespace at {

namespace {

std::mutex g_registry_mutex;
c10::HoldDuringFork g_registry_hold(g_registry_mutex);

struct Registry {
  std::unordered_map<std::string, OperatorEntry*> by_name;  // "aten::add.Tensor"
  std::unordered_map<std::string, std::vector<std::string>> overloads;
  std::vector<OperatorEntry*> all;
  std::deque<std::string> texts;  // names and schemas of operators defined at run time
  std::unordered_map<const OperatorEntry*, std::string> locations;  // where they were defined
  std::vector<Registration> fallbacks[kNumRuntimeKeys];
  int64_t next_handle = 1;

  Registry() {
    for (int i = 0; i < kNumOperatorTables; ++i) {
      for (OperatorEntry* op : *kOperatorTables[i]) add(op);
    }
  }
  static std::string key(std::string_view name, std::string_view overload) {
    std::string k(name);
    k += '.';
    k += overload;
    return k;
  }
  void add(OperatorEntry* op) {
    by_name[key(op->name, op->overload)] = op;
    overloads[op->name].push_back(op->overload);
    all.push_back(op);
  }
};

Registry& registry() {
  static auto* r = new Registry;  // never destroyed: kernels may run while the process exits
  return *r;
}

// The runtime keys that an alias key stands for.
template <typename F>
void for_each_key(DispatchKey key, F f) {
  auto all_of = [&](DispatchKeySet functionalities) {
    for (int k = 1; k < kNumRuntimeKeys; ++k) {
      auto runtime = static_cast<DispatchKey>(k);
      if (functionalities.has(functionality_of(runtime))) f(runtime);
    }
  };
  switch (key) {
    case DispatchKey::Autograd:
      return all_of(autograd_dispatch_keyset);
    case DispatchKey::CompositeExplicitAutograd:
    case DispatchKey::CompositeImplicitAutograd:
      f(DispatchKey::Undefined);
      return all_of(backend_functionalities);
    default:
      f(key);
  }
}

bool is_autograd(DispatchKey key) {
  return key == DispatchKey::Autograd ||
         (!isAliasDispatchKey(key) && autograd_dispatch_keyset.has(functionality_of(key)));
}

Override g_autograd_fallback;

// A kernel for a backend does not define derivatives; one for CompositeImplicitAutograd has those
// of the operators that it calls.
bool lacks_autograd(const OperatorEntry& op) {
  if (op.boxed_caller || !op.overrides)
    return false;  // one of the library's own, or without kernels
  bool for_backend = false;
  for (const AliasedRegistration& m : op.overrides->made) {
    if (is_autograd(m.key)) return false;
    for_backend |= m.key != DispatchKey::CompositeImplicitAutograd;
  }
  return for_backend;
}

// Updates the slots to match the registrations.
void refresh(OperatorEntry& op, const Registry& r) {
  KernelOverrides* o = op.overrides;
  uint64_t considered = o ? o->generated_considered : op.considered_keys;
  bool user_autograd = false;
  if (o) {
    std::copy(o->generated, o->generated + kNumKernelSlots, op.table);
    for (const auto& [key, list] : o->by_key) {
      if (list.empty()) continue;
      op.table[slot_of(key)] = nullptr;
      considered |= DispatchKeySet(functionality_of(key)).raw_repr();
      user_autograd |= is_autograd(key);
    }
    o->lacks_autograd = lacks_autograd(op) && g_autograd_fallback;
    if (o->lacks_autograd) considered |= autograd_dispatch_keyset.raw_repr();
  }
  for (int k = 0; k < kNumRuntimeKeys; ++k) {
    auto key = static_cast<DispatchKey>(k);
    if (!r.fallbacks[k].empty() && !generated_kernel(op, key))
      considered |= DispatchKeySet(functionality_of(key)).raw_repr();
  }
  op.considered_keys = considered;
  // Plain tensors carry no autograd key (Note [Grad mode is an exclusion]); a user's autograd
  // kernel must still see every call.
  op.added_keys =
      user_autograd ? DispatchKeySet(Functionality::AutogradFunctionality).raw_repr() : 0;
}

KernelOverrides& overrides_of(OperatorEntry& op) {
  if (!op.overrides) {
    auto* o = new KernelOverrides;
    std::copy(op.table, op.table + kNumKernelSlots, o->generated);
    o->generated_considered = op.considered_keys;
    op.overrides = o;
  }
  return *op.overrides;
}

std::vector<Registration>& registrations_at(KernelOverrides& o, DispatchKey key) {
  for (auto& [k, list] : o.by_key) {
    if (k == key) return list;
  }
  return o.by_key.emplace_back(key, std::vector<Registration>()).second;
}

bool erase(std::vector<Registration>& list, int64_t handle) {
  auto at = std::find_if(list.begin(), list.end(), [&](auto& r) { return r.handle == handle; });
  if (at == list.end()) return false;
  list.erase(at);
  return true;
}

}  // namespace

void* generated_kernel(const OperatorEntry& op, DispatchKey key) {
  void* const* table = op.overrides ? op.overrides->generated : op.table;
  if (void* kernel = table[slot_of(key)]) return kernel;
  return backend_functionalities.has(functionality_of(key)) ? table[kUndefinedSlot] : nullptr;
}

FoundKernel find_kernel(const OperatorEntry& op, DispatchKeySet keys) {
  DispatchKey key = keys.highestPriorityTypeId();
  if (op.overrides) {
    const std::vector<Registration>* own = op.overrides->at(key);
    if (own && !own->empty()) return {&own->back().kernel, nullptr};
  }
  if (void* kernel = generated_kernel(op, key)) return {nullptr, kernel};
  Registry& r = registry();
  const auto& fallbacks = r.fallbacks[static_cast<int>(key)];
  if (!fallbacks.empty()) return {&fallbacks.back().kernel, nullptr};
  if (is_autograd(key) && op.overrides && op.overrides->lacks_autograd)
    return {&g_autograd_fallback, nullptr};
  // A first call for a device whose backend is a library that is still to be loaded.
  if (key == DispatchKey::CUDA && c10::impl::load_backend_library(c10::DeviceType::CUDA)) {
    if (void* kernel = generated_kernel(op, key)) return {nullptr, kernel};
  }
  return {};
}

void set_autograd_fallback(void (*boxed)(void*, const OperatorEntry&, DispatchKeySet,
                                         IValueStack&)) {
  g_autograd_fallback.boxed = boxed;
}

void set_refuses_backward(OperatorEntry& op) {
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  overrides_of(op).refuses_backward = true;
}

int64_t register_override(OperatorEntry& op, DispatchKey key, Override kernel) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  KernelOverrides& o = overrides_of(op);
  int64_t handle = r.next_handle++;
  // A kernel registered at this very key takes precedence over a composite kernel.
  bool alias = key == DispatchKey::CompositeExplicitAutograd ||
               key == DispatchKey::CompositeImplicitAutograd;
  for_each_key(key, [&](DispatchKey k) {
    std::vector<Registration>& list = registrations_at(o, k);
    void* own = generated_kernel(op, k);
    if (alias && own && own != o.generated[kUndefinedSlot]) return;
    if (alias) list.insert(list.begin(), {handle, kernel});
    else list.push_back({handle, kernel});
  });
  o.made.push_back({handle, key, kernel});
  refresh(op, r);
  return handle;
}

void unregister_override(OperatorEntry& op, int64_t handle) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  if (!op.overrides) return;
  KernelOverrides& o = *op.overrides;
  o.made.erase(
      std::remove_if(o.made.begin(), o.made.end(), [&](auto& m) { return m.handle == handle; }),
      o.made.end());
  for (auto& [key, list] : o.by_key) erase(list, handle);
  refresh(op, r);
}

int64_t register_fallback(DispatchKey key, Override kernel) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  int64_t handle = r.next_handle++;
  for_each_key(
      key, [&](DispatchKey k) { r.fallbacks[static_cast<int>(k)].push_back({handle, kernel}); });
  for (OperatorEntry* op : r.all) {
    overrides_of(*op);
    refresh(*op, r);
  }
  return handle;
}

void unregister_fallback(int64_t handle) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  for (auto& list : r.fallbacks) erase(list, handle);
  for (OperatorEntry* op : r.all) refresh(*op, r);
}

void join_backend(DispatchKey key, const BackendTable* const* tables, int num_tables) {
  const int slot = slot_of(key);
  TORCH_INTERNAL_ASSERT(slot >= kFirstDenseSlot && slot < kAutogradSlot);
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  auto put = [&](OperatorEntry& op, void* kernel) {
    if (!op.overrides) {
      op.table[slot] = kernel;
    } else {
      op.overrides->generated[slot] = kernel;
      refresh(op, r);
    }
  };
  for (int i = 0; i < num_tables; ++i) {
    for (const BackendKernel& row : *tables[i]) put(*row.op, row.kernel);
  }
  for (OperatorEntry* op : r.all) {
    void* const* generated = op->overrides ? op->overrides->generated : op->table;
    if (!generated[slot] && generated[kUndefinedSlot]) put(*op, generated[kUndefinedSlot]);
  }
}

OperatorEntry* find_operator(std::string_view name, std::string_view overload) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  auto at = r.by_name.find(Registry::key(name, overload));
  return at == r.by_name.end() ? nullptr : at->second;
}

OperatorEntry* find_operator(std::string_view name) {
  size_t space = name.find("::"), dot = name.find('.', space == name.npos ? 0 : space);
  return find_operator(name.substr(0, dot), dot == name.npos ? "" : name.substr(dot + 1));
}

std::string full_name(const OperatorEntry& op) {
  return str(op.name, *op.overload ? "." : "", op.overload);
}

std::vector<OperatorEntry*> all_operators() {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  return r.all;
}

std::vector<std::string> overload_names(std::string_view name) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  auto at = r.overloads.find(std::string(name));
  return at == r.overloads.end() ? std::vector<std::string>() : at->second;
}

OperatorEntry* define_operator(std::string_view text, std::string place) {
  FunctionSchema schema = parse_schema(text);
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  TORCH_CHECK(!r.by_name.count(Registry::key(schema.name, schema.overload)), "the operator ",
              schema.name, schema.overload.empty() ? "" : ".", schema.overload,
              " is defined already; a schema is registered once");
  auto keep = [&](std::string s) { return r.texts.emplace_back(std::move(s)).c_str(); };
  auto* op = new OperatorEntry{};
  op->name = keep(schema.name);
  op->overload = keep(schema.overload);
  op->schema = keep(std::string(text));
  op->parsed = new FunctionSchema(std::move(schema));
  op->considered_keys = kBackendsConsidered;
  r.locations[op] = std::move(place);
  r.add(op);
  for (auto& list : r.fallbacks) {
    if (!list.empty()) {
      overrides_of(*op);
      refresh(*op, r);
      break;
    }
  }
  return op;
}

void remove_operator(OperatorEntry* op) {
  // The entry itself stays because handles may still refer to it. It just cannot be found any more.
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  r.by_name.erase(Registry::key(op->name, op->overload));
  auto& names = r.overloads[op->name];
  names.erase(std::remove(names.begin(), names.end(), op->overload), names.end());
  if (names.empty()) r.overloads.erase(op->name);
  r.all.erase(std::remove(r.all.begin(), r.all.end(), op), r.all.end());
}

std::string definition_location(const OperatorEntry& op) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(g_registry_mutex);
  auto at = r.locations.find(&op);
  return at == r.locations.end() ? std::string() : at->second;
}

const Override* find_fallback(DispatchKey key) {
  const auto& list = registry().fallbacks[static_cast<int>(key)];
  return list.empty() ? nullptr : &list.back().kernel;
}

}  // namespace at
