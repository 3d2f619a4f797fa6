// TORCH_LIBRARY: operators and kernels that a program defines in C++.

#include <ATen/core/library.h>

#include <ATen/core/dispatch/OperatorName.h>
#include <c10/util/Logging.h>

namespace at {

// A C++ type matches several schema types: int64_t stands for int and SymInt, for example.
static bool agrees(const SchemaType& expected, const SchemaType& actual) {
  auto plain = [](const std::string& base) { return base == "SymInt" ? std::string("int") : base; };
  return plain(expected.base) == plain(actual.base) && expected.is_list == actual.is_list &&
         expected.optional == actual.optional;
}

void check_signature(const OperatorEntry& op, const std::string& signature,
                     const std::string& place) {
  const FunctionSchema& expected = schema_of(op);
  FunctionSchema actual = parse_schema("f" + signature);
  bool fits = expected.arguments.size() == actual.arguments.size() &&
              expected.returns.size() == actual.returns.size();
  for (size_t i = 0; fits && i < expected.arguments.size(); ++i)
    fits = agrees(expected.arguments[i].type, actual.arguments[i].type);
  for (size_t i = 0; fits && i < expected.returns.size(); ++i)
    fits = agrees(expected.returns[i].type, actual.returns[i].type);
  TORCH_CHECK(fits, place, ": the kernel's C++ signature means ", signature,
              ", but the operator's schema is ", op.schema);
}

}  // namespace at

namespace torch {

std::string Library::qualified(const std::string& name) const {
  size_t end = name.find('(');
  return name.substr(0, end).find("::") == std::string::npos ? ns_ + "::" + name : name;
}

Library& Library::def(const char* schema) {
  at::define_operator(qualified(schema), place_);
  C10_LOG_ARTIFACT(Registration, "def ", qualified(schema), " at ", place_);
  return *this;
}

at::OperatorEntry& Library::find(const char* name) const {
  std::string full = qualified(name);
  at::OperatorEntry* op = at::find_operator(full);
  TORCH_CHECK(op, "impl(\"", name, "\") at ", place_, ": there is no operator ", full,
              "; define it first with m.def");
  C10_LOG_ARTIFACT(Registration, "impl ", full, " for ", c10::toString(key_), " at ", place_);
  return *op;
}

Library& Library::fallback(void (*boxed)(void*, const at::OperatorEntry&, at::DispatchKeySet,
                                         at::IValueStack&)) {
  TORCH_CHECK(key_ != c10::DispatchKey::Undefined,
              "fallback: say the dispatch key with TORCH_LIBRARY_IMPL(_, KEY, m)");
  at::Override kernel;
  kernel.boxed = boxed;
  kernel.debug = place_;
  C10_LOG_ARTIFACT(Registration, "fallback for ", c10::toString(key_), " at ", place_);
  at::register_fallback(key_, std::move(kernel));
  return *this;
}

Library& Library::impl(const char* name, CppFunction f) {
  TORCH_CHECK(key_ != c10::DispatchKey::Undefined, "impl(\"", name,
              "\"): say the dispatch key with TORCH_LIBRARY_IMPL(", ns_, ", KEY, m)");
  at::OperatorEntry& op = find(name);
  if (!f.boxed_) return *this;
  at::Override kernel;
  kernel.boxed = f.boxed_;
  kernel.debug = place_;
  at::register_override(op, key_, std::move(kernel));
  return *this;
}

namespace detail {

TorchLibraryInit::TorchLibraryInit(const char* kind, const char* ns, const char* key,
                                   const char* file, uint32_t line, void (*init)(Library&)) {
  c10::DispatchKey k = c10::parseDispatchKey(key);
  TORCH_CHECK(!*key || k != c10::DispatchKey::Undefined, file, ":", line,
              ": no dispatch key is called ", key);
  Library library(kind, ns, k, file, line);
  init(library);
}

}  // namespace detail
}  // namespace torch
