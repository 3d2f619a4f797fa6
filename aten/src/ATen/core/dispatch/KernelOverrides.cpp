#include <ATen/core/dispatch/KernelRegistrations.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <ATen/core/dispatch/FunctionSchema.h>
#include <ATen/core/dispatch/OperatorName.h>
#include <ATen/core/ivalue.h>

namespace at {

namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::string, OperatorEntry*> by_name;  // "aten::add.Tensor"
  std::unordered_map<std::string, std::vector<std::string>> overloads;
  std::vector<OperatorEntry*> all;
  std::deque<std::string> texts;  // names and schemas of operators defined at run time
  std::unordered_map<const OperatorEntry*, std::string> places;  // ... and where
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

DispatchKeySet spread(DispatchKey key) {
  switch (key) {
    case DispatchKey::Autograd:
      return autograd_dispatch_keyset;
    case DispatchKey::CompositeExplicitAutograd:
      return backend_keyset | DispatchKeySet(uint64_t(1));
    case DispatchKey::CompositeImplicitAutograd:
      return backend_keyset | DispatchKeySet(uint64_t(1));
    case DispatchKey::Undefined:
      return DispatchKeySet(uint64_t(1));
    default:
      return DispatchKeySet(key);
  }
}

template <typename F>
void for_each_key(DispatchKeySet keys, F f) {
  for (int k = 0; k < kNumRuntimeKeys; ++k) {
    if (keys.raw_repr() >> k & 1) f(k);
  }
}

Override g_autograd_fallback;

// A kernel for a backend says nothing about derivatives; one for CompositeImplicitAutograd has
// those of the operators that it calls.
bool lacks_autograd(const OperatorEntry& op) {
  if (op.boxed_caller || !op.overrides) return false;  // of the library's own, or without kernels
  bool for_backend = false;
  for (const AliasedRegistration& m : op.overrides->made) {
    if (spread(m.key).has_any(autograd_dispatch_keyset)) return false;
    for_backend |= m.key != DispatchKey::CompositeImplicitAutograd;
  }
  return for_backend;
}

// Makes the columns agree with the registrations.
void refresh(OperatorEntry& op, const Registry& r) {
  KernelOverrides* o = op.overrides;
  uint64_t fallback_keys = 0;
  for (int k = 0; k < kNumRuntimeKeys; ++k) {
    bool user = o && !o->of[k].empty();
    void* generated = o ? o->generated[k] : op.table[k];
    if (o) op.table[k] = user ? nullptr : generated;
    if (!r.fallbacks[k].empty() && !generated) fallback_keys |= uint64_t(1) << k;
  }
  uint64_t considered = o ? o->generated_considered : op.considered_keys;
  if (o) considered |= o->user_keys;
  if (o) o->lacks_autograd = lacks_autograd(op) && g_autograd_fallback;
  if (o && o->lacks_autograd) considered |= autograd_dispatch_keyset.raw_repr();
  op.considered_keys = considered | fallback_keys;
  // Plain tensors carry no autograd key (Note [Grad mode is an exclusion]); a user's autograd
  // kernel is to see every call all the same.
  op.added_keys = (o ? o->user_keys : 0) & DispatchKeySet(DispatchKey::AutogradCPU).raw_repr();
}

KernelOverrides& overrides_of(OperatorEntry& op) {
  if (!op.overrides) {
    auto* o = new KernelOverrides;
    std::copy(op.table, op.table + kNumRuntimeKeys, o->generated);
    o->generated_considered = op.considered_keys;
    op.overrides = o;
  }
  return *op.overrides;
}

bool erase(std::vector<Registration>& list, int64_t handle) {
  auto at = std::find_if(list.begin(), list.end(), [&](auto& r) { return r.handle == handle; });
  if (at == list.end()) return false;
  list.erase(at);
  return true;
}

}  // namespace

const Override* find_override(const OperatorEntry& op, DispatchKeySet keys) {
  int k = keys.highest_index();
  if (op.overrides && !op.overrides->of[k].empty()) return &op.overrides->of[k].back().kernel;
  Registry& r = registry();
  if (!r.fallbacks[k].empty()) return &r.fallbacks[k].back().kernel;
  bool autograd = autograd_dispatch_keyset.raw_repr() >> k & 1;
  if (autograd && op.overrides && op.overrides->lacks_autograd) return &g_autograd_fallback;
  return nullptr;
}

void set_autograd_fallback(void (*boxed)(void*, const OperatorEntry&, DispatchKeySet,
                                         IValueStack&)) {
  g_autograd_fallback.boxed = boxed;
}

void set_refuses_backward(OperatorEntry& op) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  overrides_of(op).refuses_backward = true;
}

int64_t register_override(OperatorEntry& op, DispatchKey key, Override kernel) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  KernelOverrides& o = overrides_of(op);
  int64_t handle = r.next_handle++;
  DispatchKeySet keys = spread(key);
  // A composite kernel gives way to one that stands at the very key.
  bool alias = key == DispatchKey::CompositeExplicitAutograd ||
               key == DispatchKey::CompositeImplicitAutograd;
  for_each_key(keys, [&](int k) {
    if (alias && (!o.of[k].empty() || o.generated[k])) {
      o.of[k].insert(o.of[k].begin(), {handle, kernel});
    } else {
      o.of[k].push_back({handle, kernel});
    }
    o.user_keys |= uint64_t(1) << k;
  });
  o.made.push_back({handle, key, kernel});
  refresh(op, r);
  return handle;
}

void unregister_override(OperatorEntry& op, int64_t handle) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  if (!op.overrides) return;
  KernelOverrides& o = *op.overrides;
  o.user_keys = 0;
  o.made.erase(
      std::remove_if(o.made.begin(), o.made.end(), [&](auto& m) { return m.handle == handle; }),
      o.made.end());
  for (int k = 0; k < kNumRuntimeKeys; ++k) {
    erase(o.of[k], handle);
    if (!o.of[k].empty()) o.user_keys |= uint64_t(1) << k;
  }
  refresh(op, r);
}

int64_t register_fallback(DispatchKey key, Override kernel) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  int64_t handle = r.next_handle++;
  for_each_key(spread(key), [&](int k) { r.fallbacks[k].push_back({handle, kernel}); });
  for (OperatorEntry* op : r.all) {
    overrides_of(*op);
    refresh(*op, r);
  }
  return handle;
}

void unregister_fallback(int64_t handle) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  for (auto& list : r.fallbacks) erase(list, handle);
  for (OperatorEntry* op : r.all) refresh(*op, r);
}

OperatorEntry* find_operator(std::string_view name, std::string_view overload) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
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
  std::lock_guard<std::mutex> lock(r.mutex);
  return r.all;
}

std::vector<std::string> overload_names(std::string_view name) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  auto at = r.overloads.find(std::string(name));
  return at == r.overloads.end() ? std::vector<std::string>() : at->second;
}

OperatorEntry* define_operator(std::string_view text, std::string place) {
  FunctionSchema schema = parse_schema(text);
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  TORCH_CHECK(!r.by_name.count(Registry::key(schema.name, schema.overload)), "the operator ",
              schema.name, schema.overload.empty() ? "" : ".", schema.overload,
              " is defined already; a schema is registered once");
  auto keep = [&](std::string s) { return r.texts.emplace_back(std::move(s)).c_str(); };
  auto* op = new OperatorEntry{};
  op->name = keep(schema.name);
  op->overload = keep(schema.overload);
  op->schema = keep(std::string(text));
  op->parsed = new FunctionSchema(std::move(schema));
  op->considered_keys = backend_keyset.raw_repr() | 1;
  r.places[op] = std::move(place);
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
  // The entry itself stays: somebody may hold it. It only stops being found.
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  r.by_name.erase(Registry::key(op->name, op->overload));
  auto& names = r.overloads[op->name];
  names.erase(std::remove(names.begin(), names.end(), op->overload), names.end());
  if (names.empty()) r.overloads.erase(op->name);
  r.all.erase(std::remove(r.all.begin(), r.all.end(), op), r.all.end());
}

std::string definition_place(const OperatorEntry& op) {
  Registry& r = registry();
  std::lock_guard<std::mutex> lock(r.mutex);
  auto at = r.places.find(&op);
  return at == r.places.end() ? std::string() : at->second;
}

const Override* find_fallback(int column) {
  Registry& r = registry();
  return r.fallbacks[column].empty() ? nullptr : &r.fallbacks[column].back().kernel;
}

}  // namespace at
