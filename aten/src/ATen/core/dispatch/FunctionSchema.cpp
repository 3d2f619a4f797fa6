// Parses and prints operator schemas.

#include <ATen/core/dispatch/FunctionSchema.h>

#include <cctype>
#include <mutex>

#include <c10/util/Exception.h>
#include <c10/util/ForkMutex.h>

namespace at {

std::string SchemaType::str() const {
  std::string s = base;
  if (!alias.empty() && !is_list) s += "(" + alias + (mutates ? "!)" : ")");
  if (element_optional) s += "?";
  if (is_list) {
    if (!alias.empty()) s += "(" + alias + (mutates ? "!)" : ")");
    s += "[" + (list_size ? std::to_string(list_size) : std::string()) + "]";
  }
  if (optional) s += "?";
  return s;
}

namespace {

// A cursor over the text; each method consumes what it recognizes.
struct Parser {
  std::string_view text;
  size_t at = 0;

  [[noreturn]] void fail(const char* expected) const {
    TORCH_CHECK_VALUE(false, "operator schema: expected ", expected, " at position ", at, " of \"",
                      text, "\"");
    __builtin_unreachable();
  }
  void space() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  }
  bool peek(char c) {
    space();
    return at < text.size() && text[at] == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    ++at;
    return true;
  }
  void need(char c, const char* expected) {
    if (!take(c)) fail(expected);
  }
  static bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string word(const char* expected) {
    space();
    size_t start = at;
    while (at < text.size() && word_char(text[at])) ++at;
    if (start == at) fail(expected);
    return std::string(text.substr(start, at - start));
  }

  void alias(SchemaType& t) {
    if (!take('(')) return;
    while (at < text.size() && text[at] != ')' && text[at] != '!') t.alias += text[at++];
    t.mutates = take('!');
    need(')', "')' after an alias set");
  }
  SchemaType type() {
    SchemaType t;
    t.base = word("a type");
    alias(t);
    bool question = take('?');
    if (peek('(')) alias(t);
    if (take('[')) {
      t.is_list = true;
      t.element_optional = question;
      while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) {
        t.list_size = t.list_size * 10 + (text[at++] - '0');
      }
      need(']', "']' after a list type");
      t.optional = take('?');
    } else {
      t.optional = question;
    }
    return t;
  }
  std::string value() {
    space();
    size_t start = at;
    int depth = 0;
    for (; at < text.size(); ++at) {
      char c = text[at];
      if (c == '"' || c == '\'') {
        size_t end = text.find(c, at + 1);
        if (end == std::string_view::npos) fail("the end of a string");
        at = end;
      } else if (c == '[') {
        ++depth;
      } else if (c == ']') {
        --depth;
      } else if (depth == 0 && (c == ',' || c == ')')) {
        break;
      }
    }
    size_t end = at;
    while (end > start && text[end - 1] == ' ') --end;
    return std::string(text.substr(start, end - start));
  }
};

}  // namespace

FunctionSchema parse_schema(std::string_view text) {
  Parser p{text};
  FunctionSchema s;
  s.text = std::string(text);
  s.name = p.word("a name");
  if (p.take(':')) {
    p.need(':', "'::' after the namespace");
    s.name += "::" + p.word("a name");
  }
  if (p.take('.')) s.overload = p.word("an overload name");
  p.need('(', "'(' before the arguments");
  bool kwarg_only = false;
  while (!p.take(')')) {
    if (p.take('*')) {
      kwarg_only = true;
    } else {
      SchemaArgument a;
      a.type = p.type();
      a.name = p.word("an argument name");
      a.kwarg_only = kwarg_only;
      if (p.take('=')) {
        a.has_default = true;
        a.default_value = p.value();
      }
      s.arguments.push_back(std::move(a));
    }
    if (!p.peek(')')) p.need(',', "',' or ')' after an argument");
  }
  p.need('-', "'->' before the results");
  p.need('>', "'->' before the results");
  auto one_return = [&] {
    SchemaArgument r;
    r.type = p.type();
    p.space();
    if (p.at < text.size() && Parser::word_char(text[p.at])) r.name = p.word("a name");
    s.returns.push_back(std::move(r));
  };
  if (p.take('(')) {
    while (!p.take(')')) {
      one_return();
      if (!p.peek(')')) p.need(',', "',' or ')' after a result");
    }
  } else {
    one_return();
  }
  p.space();
  if (p.at != text.size()) p.fail("the end");
  return s;
}

static std::mutex g_parsed_mutex;
static c10::HoldDuringFork g_parsed_hold(g_parsed_mutex);

const FunctionSchema& schema_of(const OperatorEntry& op) {
  std::lock_guard<std::mutex> lock(g_parsed_mutex);
  if (!op.parsed) op.parsed = new FunctionSchema(parse_schema(op.schema));
  return *op.parsed;
}

}  // namespace at
