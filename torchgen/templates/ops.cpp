The registry's side of operators. See torchgen/template.py.

//// ops_header
// Written by torchgen from native_functions.yaml.

#pragma once

#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/core/Tensor.h>

#include <tuple>
#include <vector>

namespace at::_ops {

$operators
}  // namespace at::_ops

//// ops_struct
// $schema
struct $name {
  using schema = $signature;
  static OperatorEntry entry;
  static $result call($parameters);
  static $result redispatch(DispatchKeySet keys$comma$parameters);
};

//// native_header
// Written by torchgen from native_functions.yaml.

#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/native/common/DispatchStub.h>

#include <tuple>
#include <vector>

namespace at {
class MetaBase;
class TensorIteratorBase;
$declarations
}  // namespace at

//// wrapper
$result $name(DispatchKeySet$comma$parameters) {
  $checks
  $keep$call;
  $versions
  $settled
  $return_result
}

//// native_function
namespace at::native {
$function}  // namespace at::native

//// operator
$native_function
namespace at {
namespace {
$wrappers
}  // namespace
$autograd
const KernelSource sources_$name[] = {
$sources
    {DispatchKey::Undefined, nullptr, nullptr, nullptr}};
OperatorEntry _ops::$name::entry = {
    "$base", "$overload",
    "$schema",
    &impl::BoxedAdapter<_ops::$name::schema>::call, &impl::BoxedAdapter<_ops::$name::schema>::dispatch,
    reinterpret_cast<void*>(&_ops::$name::call), $considered, 0,
    {{$slots}},
    nullptr, nullptr, sources_$name};
$result _ops::$name::call($parameters) {
  return impl::Call<schema>::$call($call_arguments);
}
$result _ops::$name::redispatch(DispatchKeySet keys$comma$parameters) {
  return impl::Call<schema>::redispatch(entry, keys$comma$arguments);
}
}  // namespace at

//// autograd_declaration
}
namespace torch::autograd::VariableType {
using namespace at;
$result $name(DispatchKeySet keys$comma$parameters);
}
namespace at {

//// source_head
// Written by torchgen from native_functions.yaml.

$includes

//// ops_source
$head

// Entries name the slots that they fill.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace at::native {
void check_inference_mode();  // in ViewUtils.cpp
}  // namespace at::native

$operators
namespace at {
static OperatorEntry* const operators_$shard[] = {
$entries
};
extern const OperatorTable kOperators_$shard = {operators_$shard, $count};
}  // namespace at

//// registry
// Written by torchgen from native_functions.yaml.

#include <ATen/core/dispatch/KernelOverrides.h>

namespace at {
$declarations
const OperatorTable* const kOperatorTables[] = {
$rows
};
const int kNumOperatorTables = $count;
}  // namespace at

//// backend
$head

namespace at::native {
void check_inference_mode();  // in ViewUtils.cpp
}  // namespace at::native

namespace at {
namespace {
$wrappers
}  // namespace
static const BackendKernel kernels_$shard[] = {
$rows
};
extern const BackendTable k${key}Kernels_$shard = {kernels_$shard, $count};
}  // namespace at

//// backend_registry
// Written by torchgen from native_functions.yaml.

#include <ATen/core/dispatch/BackendTable.h>

namespace at {
$declarations
static const BackendTable* const tables[] = {
$rows
};
void join_$key() { join_backend(c10::DispatchKey::$key, tables, $count); }
}  // namespace at

//// methods
// Written by torchgen from native_functions.yaml.

#define TORCH_TENSOR_METHODS
#include <ATen/core/Tensor.h>
$includes

namespace at {

$methods

}  // namespace at

#include <ATen/core/TensorMembers-inl.h>
#include <torch/csrc/autograd/TensorMembers-inl.h>

//// method
$result Tensor::$name($parameters) const {
  return at::_ops::$operator::call($arguments);
}
