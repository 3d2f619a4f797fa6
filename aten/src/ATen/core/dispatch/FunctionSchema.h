#pragma once
// FunctionSchema: an operator's schema as data, parsed from its text on demand.

#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/dispatch/OperatorEntry.h>

namespace at {

struct SchemaType {
  std::string base;  // "Tensor", "int", ...
  bool is_list = false;
  int list_size = 0;  // of int[2]; 0 when unsized
  bool optional = false;
  bool element_optional = false;
  std::string alias;  // "a" of Tensor(a!)
  bool mutates = false;
  std::string str() const;
};

struct SchemaArgument {
  std::string name;  // "" for an unnamed return
  SchemaType type;
  std::string default_value;  // its text; has_default tells "" from no default
  bool has_default = false;
  bool kwarg_only = false;
};

struct FunctionSchema {
  std::string name;  // "aten::add"
  std::string overload;
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaArgument> returns;
  std::string text;
};

// Throws ValueError if the text is not a schema.
FunctionSchema parse_schema(std::string_view text);
// The schema of a registered operator; parsed once.
const FunctionSchema& schema_of(const OperatorEntry& op);

}  // namespace at
