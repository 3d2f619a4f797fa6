#pragma once
// Errors and warnings. TORCH_CHECK: the caller's error. TORCH_INTERNAL_ASSERT: our own error.
//
//   TORCH_CHECK(n >= 0, "arange: n must not be negative, got ", n);
//   TORCH_CHECK_INDEX(i < size, "select: index ", i, " is out of range for size ", size);
//   TORCH_WARN_ONCE("lr_scheduler: ...");
//
// The failing side of a check is one cold out-of-line call; see StringUtil.h for the types that a
// message may contain.

#include <c10/macros/Macros.h>
#include <c10/util/StringUtil.h>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <vector>

namespace c10 {

// The source location where an error was raised.
struct SourceLocation {
  const char* function;
  const char* file;
  uint32_t line;
};

// The Python binding maps Error to RuntimeError and each subclass to the Python type of its
// name.
class C10_API Error : public std::exception {
 public:
  explicit Error(std::string message);
  Error(SourceLocation where, std::string message);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  // The message with its contexts and the symbolized C++ stack.
  const char* what() const noexcept override;
  // The message with its contexts only.
  const char* what_without_backtrace() const noexcept;
  const std::string& msg() const noexcept { return message_; }
  // Symbolizes on the first call, which takes milliseconds.
  std::string backtrace() const;
  const SourceLocation& where() const noexcept { return where_; }

  // Adds a line that describes the operation during which the error occurred.
  void add_context(const std::string& line);

 private:
  std::string message_;
  std::string with_context_;
  mutable std::string what_;
  std::vector<void*> frames_;
  SourceLocation where_{"", "", 0};
};

#define C10_DEFINE_ERROR(Name, Base) \
  class C10_API Name : public Base { \
   public:                           \
    using Base::Base;                \
    ~Name() override;                \
  }
C10_DEFINE_ERROR(IndexError, Error);
C10_DEFINE_ERROR(TypeError, Error);
C10_DEFINE_ERROR(ValueError, Error);
C10_DEFINE_ERROR(NotImplementedError, Error);
C10_DEFINE_ERROR(OutOfMemoryError, Error);
C10_DEFINE_ERROR(LinAlgError, Error);
#undef C10_DEFINE_ERROR

// TORCH_SHOW_CPP_STACKTRACES: whether Python exceptions carry the C++ stack.
C10_API bool get_cpp_stacktraces_enabled();

namespace detail {

enum class ErrorKind : uint8_t {
  Error,
  Index,
  Type,
  Value,
  NotImplemented,
  OutOfMemory,
  LinAlg,
  Internal
};

// `condition` is the text of the failed condition: the message if there are no parts.
[[noreturn]] C10_COLD C10_API void check_failed(ErrorKind kind, SourceLocation where,
                                                const char* condition,
                                                std::initializer_list<StrPart> parts);

C10_COLD C10_API void emit_warning(uint8_t category, SourceLocation where,
                                   std::initializer_list<StrPart> parts);

}  // namespace detail

struct Warning {
  enum Category : uint8_t { User, Deprecation };
  Category category;
  SourceLocation where;
  std::string message;
};

// Receives the warnings of the threads that it is set for; the Python binding installs one that
// calls warnings.warn. The default one prints to stderr.
class C10_API WarningHandler {
 public:
  virtual ~WarningHandler();
  virtual void process(const Warning& warning);
};

namespace WarningUtils {
C10_API void warn(const Warning& warning);
// Handlers are per thread; the base handler serves threads that have none. Not owned.
C10_API void set_warning_handler(WarningHandler* handler) noexcept;
C10_API WarningHandler* get_warning_handler() noexcept;
C10_API void set_base_warning_handler(WarningHandler* handler) noexcept;
// torch.set_warn_always: TORCH_WARN_ONCE warns every time.
C10_API void set_warnAlways(bool always) noexcept;
C10_API bool get_warnAlways() noexcept;

class WarningHandlerGuard {
 public:
  explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;
  ~WarningHandlerGuard() { set_warning_handler(previous_); }

 private:
  WarningHandler* previous_;
};
}  // namespace WarningUtils

}  // namespace c10

#define C10_SOURCE_LOCATION \
  ::c10::SourceLocation { __func__, __FILE__, static_cast<uint32_t>(__LINE__) }

#define C10_CHECK_KIND(kind, cond, ...)                                                       \
  do {                                                                                        \
    if (C10_UNLIKELY(!(cond))) {                                                              \
      ::c10::detail::check_failed(::c10::detail::ErrorKind::kind, C10_SOURCE_LOCATION, #cond, \
                                  {__VA_ARGS__});                                             \
    }                                                                                         \
  } while (false)

#define TORCH_CHECK(cond, ...) C10_CHECK_KIND(Error, cond, __VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...) C10_CHECK_KIND(Index, cond, __VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...) C10_CHECK_KIND(Type, cond, __VA_ARGS__)
#define TORCH_CHECK_VALUE(cond, ...) C10_CHECK_KIND(Value, cond, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) C10_CHECK_KIND(NotImplemented, cond, __VA_ARGS__)
#define TORCH_CHECK_LINALG(cond, ...) C10_CHECK_KIND(LinAlg, cond, __VA_ARGS__)
#define TORCH_CHECK_OUT_OF_MEMORY(cond, ...) C10_CHECK_KIND(OutOfMemory, cond, __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(cond, ...) C10_CHECK_KIND(Internal, cond, __VA_ARGS__)
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(cond, ...) \
  do {                                              \
  } while (false)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(cond, ...) TORCH_INTERNAL_ASSERT(cond, __VA_ARGS__)
#endif

// Comparisons whose message shows both sides.
#define C10_CHECK_COMPARED(a, op, b) \
  TORCH_CHECK((a)op(b), "Check failed: " #a " " #op " " #b " (", (a), " vs. ", (b), ")")
#define TORCH_CHECK_EQ(a, b) C10_CHECK_COMPARED(a, ==, b)
#define TORCH_CHECK_NE(a, b) C10_CHECK_COMPARED(a, !=, b)
#define TORCH_CHECK_LE(a, b) C10_CHECK_COMPARED(a, <=, b)
#define TORCH_CHECK_LT(a, b) C10_CHECK_COMPARED(a, <, b)
#define TORCH_CHECK_GE(a, b) C10_CHECK_COMPARED(a, >=, b)
#define TORCH_CHECK_GT(a, b) C10_CHECK_COMPARED(a, >, b)
#define TORCH_CHECK_ARG(cond, number, ...) \
  TORCH_CHECK(cond, "invalid argument ", number, ": ", __VA_ARGS__)

// Older names of TORCH_CHECK, for programs that use them.
#define AT_ERROR(...) TORCH_CHECK(false, __VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(cond, ...) TORCH_CHECK(cond, __VA_ARGS__)

// Unconditional forms, for the default branch of a switch, for example.
#define C10_THROW_ERROR(ErrorType, message) throw ::c10::ErrorType(C10_SOURCE_LOCATION, (message))

#define C10_WARN_CATEGORY(category, ...) \
  ::c10::detail::emit_warning(::c10::Warning::category, C10_SOURCE_LOCATION, {__VA_ARGS__})
#define TORCH_WARN(...) C10_WARN_CATEGORY(User, __VA_ARGS__)
#define TORCH_WARN_DEPRECATION(...) C10_WARN_CATEGORY(Deprecation, __VA_ARGS__)
#define C10_WARN_ONCE_CATEGORY(category, ...)                           \
  do {                                                                  \
    static bool c10_warned = false;                                     \
    if (C10_UNLIKELY(!__atomic_load_n(&c10_warned, __ATOMIC_RELAXED) || \
                     ::c10::WarningUtils::get_warnAlways())) {          \
      __atomic_store_n(&c10_warned, true, __ATOMIC_RELAXED);            \
      C10_WARN_CATEGORY(category, __VA_ARGS__);                         \
    }                                                                   \
  } while (false)
#define TORCH_WARN_ONCE(...) C10_WARN_ONCE_CATEGORY(User, __VA_ARGS__)
#define TORCH_WARN_DEPRECATION_ONCE(...) C10_WARN_ONCE_CATEGORY(Deprecation, __VA_ARGS__)
