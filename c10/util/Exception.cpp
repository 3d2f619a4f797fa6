// Error types, warnings, and the construction of their texts.

#include <c10/util/Exception.h>

#include <c10/util/Backtrace.h>
#include <c10/util/Environment.h>

#include <atomic>
#include <cstdio>

namespace c10 {

Error::Error(std::string message) : Error(SourceLocation{"", "", 0}, std::move(message)) {}

Error::Error(SourceLocation where, std::string message)
    : message_(std::move(message)),
      with_context_(message_),
      frames_(capture_frames()),
      where_(where) {}

Error::~Error() = default;
// Out of line, so that each type's vtable and type_info are emitted only in libc10.
IndexError::~IndexError() = default;
TypeError::~TypeError() = default;
ValueError::~ValueError() = default;
NotImplementedError::~NotImplementedError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
LinAlgError::~LinAlgError() = default;

const char* Error::what() const noexcept {
  try {
    if (what_.empty()) {
      what_ = with_context_ + "\n" + backtrace();
    }
    return what_.c_str();
  } catch (...) {
    return with_context_.c_str();
  }
}

const char* Error::what_without_backtrace() const noexcept { return with_context_.c_str(); }

std::string Error::backtrace() const {
  std::string out;
  if (where_.line != 0) {
    out = str("Raised by ", where_.function, " at ", where_.file, ":", where_.line, "\n");
  }
  return out + symbolize_frames(frames_);
}

void Error::add_context(const std::string& line) {
  with_context_ += "\n  " + line;
  what_.clear();
}

bool get_cpp_stacktraces_enabled() {
  static const bool enabled = env_flag("TORCH_SHOW_CPP_STACKTRACES");
  return enabled;
}

namespace detail {

void check_failed(ErrorKind kind, SourceLocation where, const char* condition,
                  std::initializer_list<StrPart> parts) {
  std::string message = join(parts);
  if (kind == ErrorKind::Internal) {
    message = str("INTERNAL ASSERT FAILED at ", where.file, ":", where.line, " in ", where.function,
                  ": ", condition, message.empty() ? "" : "; ", message,
                  ". This is a bug in torch itself, please report it.");
  } else if (message.empty()) {
    message = str(where.function, ": expected ", condition, " to be true");
  }
  switch (kind) {
    case ErrorKind::Index:
      throw IndexError(where, std::move(message));
    case ErrorKind::Type:
      throw TypeError(where, std::move(message));
    case ErrorKind::Value:
      throw ValueError(where, std::move(message));
    case ErrorKind::NotImplemented:
      throw NotImplementedError(where, std::move(message));
    case ErrorKind::OutOfMemory:
      throw OutOfMemoryError(where, std::move(message));
    case ErrorKind::LinAlg:
      throw LinAlgError(where, std::move(message));
    case ErrorKind::Error:
    case ErrorKind::Internal:
      break;
  }
  throw Error(where, std::move(message));
}

void emit_warning(uint8_t category, SourceLocation where, std::initializer_list<StrPart> parts) {
  WarningUtils::warn(Warning{static_cast<Warning::Category>(category), where, join(parts)});
}

}  // namespace detail

WarningHandler::~WarningHandler() = default;

void WarningHandler::process(const Warning& warning) {
  std::fprintf(stderr, "[W %s:%u] Warning: %s (function %s)\n", warning.where.file,
               warning.where.line, warning.message.c_str(), warning.where.function);
}

namespace WarningUtils {

namespace {
WarningHandler* stderr_handler() {
  // Never destroyed: other static destructors may warn.
  static WarningHandler* const handler = new WarningHandler();
  return handler;
}
thread_local WarningHandler* thread_handler = nullptr;
std::atomic<WarningHandler*> base_handler{nullptr};
std::atomic<bool> warn_always{false};
}  // namespace

void warn(const Warning& warning) {
  WarningHandler* handler = thread_handler;
  if (!handler) {
    handler = base_handler.load(std::memory_order_acquire);
  }
  (handler ? handler : stderr_handler())->process(warning);
}

void set_warning_handler(WarningHandler* handler) noexcept { thread_handler = handler; }
WarningHandler* get_warning_handler() noexcept { return thread_handler; }
void set_base_warning_handler(WarningHandler* handler) noexcept { base_handler = handler; }
void set_warnAlways(bool always) noexcept { warn_always = always; }
bool get_warnAlways() noexcept { return warn_always.load(std::memory_order_relaxed); }

}  // namespace WarningUtils
}  // namespace c10
