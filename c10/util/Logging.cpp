// Formats and writes log records, and reads their settings from the environment.

#include <c10/util/Logging.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

namespace c10 {

void write_whole(int file, const std::string& text) {
  const char* at = text.data();
  size_t left = text.size();
  while (left > 0) {
    const ssize_t n = ::write(file, at, left);
    if (n < 0) {
      if (errno == EINTR) continue;
      return;
    }
    at += n;
    left -= static_cast<size_t>(n);
  }
}

namespace {

constexpr const char* kLevelNames[] = {"INFO", "WARNING", "ERROR", "FATAL"};

struct Sink {
  std::string format;
  int file = -1;
  const Sink* previous = nullptr;  // keeps it reachable for leak checkers
};
// Replaced as a whole and never freed: another thread may be writing a line.
std::atomic<const Sink*> current_sink{nullptr};

// A line's fields, with the names of Python's logging.
struct Record {
  const char* levelname;
  int levelno;
  char initial;
  const char* name;
  const char* prefix;
  SourceLocation where;
  timespec time;
};

std::string stamp(const timespec& now, const char* format) {
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char text[40];
  std::strftime(text, sizeof(text), format, &local);
  return text;
}

std::string padded(long value, int width) {
  std::string text = std::to_string(value);
  return text.size() < static_cast<size_t>(width) ? std::string(width - text.size(), '0') + text
                                                  : text;
}

// The build runs in a subfolder of the sources, so paths may begin with ../
const char* from_root(const char* file) {
  while (std::strncmp(file, "../", 3) == 0) file += 3;
  return file;
}

std::string usual_prefix(const Record& r) {
  return str(r.initial, stamp(r.time, "%m%d %H:%M:%S"), ".", padded(r.time.tv_nsec / 1000, 6), " ",
             static_cast<int>(getpid()), " ", r.where.file, ":", r.where.line, "] ", r.prefix);
}

bool value_of(std::string_view key, const Record& r, const std::string& message, std::string& out) {
  const std::string_view path = r.where.file;
  const size_t slash = path.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (key == "message") out = message;
  else if (key == "levelname") out = r.levelname;
  else if (key == "levelno") out = std::to_string(r.levelno);
  else if (key == "name") out = r.name;
  else if (key == "pathname") out = path;
  else if (key == "filename") out = file;
  else if (key == "module") out = file.substr(0, file.rfind('.'));
  else if (key == "lineno") out = std::to_string(r.where.line);
  else if (key == "funcName") out = r.where.function;
  else if (key == "process") out = std::to_string(getpid());
  else if (key == "asctime")
    out = stamp(r.time, "%Y-%m-%d %H:%M:%S,") + padded(r.time.tv_nsec / 1000000, 3);
  else return false;
  return true;
}

// "%(levelname)-8s %(message)s". A key without a value in a C++ line is printed unchanged.
std::string formatted(const std::string& format, const Record& r, const std::string& message) {
  std::string line;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      line += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      line += '%';
      ++i;
      continue;
    }
    const size_t open = i + 1, close = format.find(')', i);
    const size_t kind =
        close == std::string::npos ? close : format.find_first_not_of("-0123456789.", close + 1);
    std::string value;
    if (open >= format.size() || format[open] != '(' || kind == std::string::npos ||
        !value_of(std::string_view(format).substr(open + 1, close - open - 1), r, message, value)) {
      line += '%';
      continue;
    }
    const char* flags = format.c_str() + close + 1;
    const bool left = *flags == '-';
    const size_t width = std::strtoul(flags + left, nullptr, 10);
    const std::string fill(width > value.size() ? width - value.size() : 0, ' ');
    line += left ? value + fill : fill + value;
    i = kind;
  }
  return line + "\n";
}

// Every line of a message gets the prefix, so that lines of different sources can be told apart.
std::string prefixed(const std::string& prefix, const std::string& message) {
  std::string text;
  for (size_t begin = 0; begin <= message.size();) {
    const size_t end = std::min(message.find('\n', begin), message.size());
    text += prefix;
    text.append(message, begin, end - begin);
    text += '\n';
    begin = end + 1;
  }
  return text;
}

int level_from_environment() {
  const char* text = std::getenv("TORCH_CPP_LOG_LEVEL");
  if (text) {
    for (int level = 0; level < 4; ++level) {
      if (std::strcmp(text, kLevelNames[level]) == 0 || (text[0] == '0' + level && !text[1])) {
        return level;
      }
    }
    write_whole(2, str("TORCH_CPP_LOG_LEVEL=", text,
                       " is not one of INFO, WARNING, ERROR, FATAL or 0 to 3; WARNING is used\n"));
  }
  return static_cast<int>(LogLevel::WARNING);
}

const char* logger_of(LogArtifact artifact) {
  switch (artifact) {
    case LogArtifact::Autograd:
    case LogArtifact::AutogradNodes:
      return "torch.autograd";
    case LogArtifact::Allocator:
      return "torch.__allocator";
    case LogArtifact::Registration:
      return "torch.__registration";
    case LogArtifact::OneDNN:
      return "torch.__onednn";
  }
  return "torch";
}

}  // namespace

namespace detail {

int log_level = level_from_environment();
uint32_t log_artifacts = 0;

void write_log(LogLevel level, SourceLocation where, std::initializer_list<StrPart> parts) {
  where.file = from_root(where.file);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  write_whole(2, str("[", kLevelNames[static_cast<int>(level)][0], stamp(now, "%m%d %H:%M:%S"), ".",
                     padded(now.tv_nsec / 1000, 6), " ", static_cast<int>(getpid()), " ",
                     where.file, ":", where.line, "] ", join(parts), "\n"));
}

void write_artifact(LogArtifact artifact, SourceLocation where,
                    std::initializer_list<StrPart> parts) {
  where.file = from_root(where.file);
  const bool info = artifact == LogArtifact::Autograd;
  const char* name = logger_of(artifact);
  const char* own = std::strstr(name, "__");
  const std::string prefix = own ? str("[", own, "] ") : "";
  Record record{
      info ? "INFO" : "DEBUG", info ? 20 : 10, info ? 'I' : 'V', name, prefix.c_str(), where, {}};
  clock_gettime(CLOCK_REALTIME, &record.time);
  const std::string message = join(parts);
  const Sink* sink = current_sink.load(std::memory_order_acquire);
  write_to_log(sink && !sink->format.empty() ? formatted(sink->format, record, message)
                                             : prefixed(usual_prefix(record), message));
}

}  // namespace detail

void set_log_artifacts(uint32_t artifacts) {
  __atomic_store_n(&detail::log_artifacts, artifacts, __ATOMIC_RELAXED);
}

void write_to_log(const std::string& text) {
  write_whole(2, text);
  const Sink* sink = current_sink.load(std::memory_order_acquire);
  if (sink && sink->file >= 0) write_whole(sink->file, text);
}

void set_log_sink(std::string format, int file) {
  const Sink* previous = current_sink.load(std::memory_order_acquire);
  current_sink.store(new Sink{std::move(format), file, previous}, std::memory_order_release);
}

}  // namespace c10
