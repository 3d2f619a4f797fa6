// A store in a file. A record is the length of the key, the length of the value or -1 for a key
// that was deleted, the key and the value. Keys that the store needs itself start with a zero byte.

#include <torch/csrc/distributed/c10d/FileStore.h>

#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <torch/csrc/distributed/c10d/interrupts.h>
#include <unistd.h>

namespace c10d {
namespace {

const std::string kUsers("\0users", 6);
constexpr Milliseconds kPollInterval(5);

struct OpenFile {
  OpenFile(const std::string& path, Milliseconds timeout) {
    auto deadline = Clock::now() + timeout;
    while ((fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) < 0) {
      int code = errno;
      // A shared file system may need a while until a folder is seen everywhere.
      TORCH_CHECK(code == EINTR || (code == ENOENT && Clock::now() < deadline),
                  "FileStore: cannot open ", path, ": ", std::strerror(code));
      check_interrupts();
      std::this_thread::sleep_for(kPollInterval);
    }
    int result;
    do result = ::flock(fd, LOCK_EX);
    while (result != 0 && errno == EINTR);
    if (result != 0) {
      int code = errno;
      ::close(fd);
      TORCH_CHECK(false, "FileStore: cannot lock ", path, ": ", std::strerror(code));
    }
  }
  ~OpenFile() { ::close(fd); }  // which gives the lock back
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd = -1;
};

}  // namespace

FileStore::FileStore(std::string path, int64_t world_size)
    : path_(std::move(path)), world_size_(world_size) {
  add(kUsers, 1);
}

FileStore::~FileStore() {
  try {
    if (world_size_ >= 0 && add(kUsers, -1) == 0) ::unlink(path_.c_str());
  } catch (const std::exception&) {
    // The file or its disk is gone. There is nobody to tell.
  }
}

std::string FileStore::record(const std::string& key, const std::string* value) {
  int64_t lengths[2] = {static_cast<int64_t>(key.size()),
                        value ? static_cast<int64_t>(value->size()) : -1};
  std::string bytes(reinterpret_cast<const char*>(lengths), sizeof lengths);
  bytes += key;
  if (value) bytes += *value;
  return bytes;
}

void FileStore::read_records(int fd) {
  struct stat info{};
  TORCH_CHECK(::fstat(fd, &info) == 0, "FileStore: cannot read ", path_, ": ",
              std::strerror(errno));
  if (info.st_size < position_) {  // somebody removed the file and made it again
    table_ = StoreTable();
    position_ = 0;
  }
  std::string bytes(static_cast<size_t>(info.st_size - position_), '\0');
  size_t got = 0;
  while (got < bytes.size()) {
    ssize_t n = ::pread(fd, &bytes[got], bytes.size() - got, position_ + static_cast<int64_t>(got));
    if (n < 0 && errno == EINTR) continue;
    TORCH_CHECK(n > 0, "FileStore: cannot read ", path_, ": ", std::strerror(errno));
    got += static_cast<size_t>(n);
  }
  size_t at = 0;
  while (at < bytes.size()) {
    int64_t lengths[2];
    size_t rest = bytes.size() - at;
    if (rest < sizeof lengths) break;
    std::memcpy(lengths, &bytes[at], sizeof lengths);
    size_t value = lengths[1] < 0 ? 0 : static_cast<size_t>(lengths[1]);
    rest -= sizeof lengths;
    TORCH_CHECK(lengths[0] >= 0 && static_cast<size_t>(lengths[0]) <= rest, "FileStore: ", path_,
                " is no store, or is damaged");
    size_t key = static_cast<size_t>(lengths[0]);
    TORCH_CHECK(value <= rest - key, "FileStore: ", path_, " is no store, or is damaged");
    at += sizeof lengths;
    std::string name = bytes.substr(at, key);
    if (lengths[1] < 0) {
      table_.erase(name);
    } else {
      table_.set(name, bytes.substr(at + key, value));
    }
    at += key + value;
  }
  position_ += static_cast<int64_t>(at);
}

void FileStore::transact(const std::function<std::string()>& f) {
  std::unique_lock<std::mutex> lock(mutex_);
  OpenFile file(path_, timeout_);
  read_records(file.fd);
  std::string bytes = f();
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::pwrite(file.fd, &bytes[done], bytes.size() - done,
                         position_ + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int code = errno;
      // A record that is there in part would make the file unreadable.
      if (::ftruncate(file.fd, position_) != 0) code = errno;
      TORCH_CHECK(false, "FileStore: cannot write ", path_, ": ", std::strerror(code));
    }
    done += static_cast<size_t>(n);
  }
  if (!bytes.empty()) read_records(file.fd);
}

void FileStore::set(const std::string& key, const std::string& value) {
  transact([&] { return record(key, &value); });
}

std::string FileStore::get(const std::string& key) {
  wait({key}, timeout_);
  std::string value;
  transact([&] {
    const std::string* found = table_.find(key);
    if (!found) throw_wait_timeout({key}, timeout_);
    value = *found;
    return std::string();
  });
  return value;
}

int64_t FileStore::add(const std::string& key, int64_t value) {
  int64_t sum = 0;
  transact([&] {
    const std::string* old = table_.find(key);
    sum = add_to_number(key, old ? *old : "", value);
    std::string text = std::to_string(sum);
    return record(key, &text);
  });
  return sum;
}

std::string FileStore::compare_set(const std::string& key, const std::string& expected,
                                   const std::string& desired) {
  std::string result;
  transact([&] {
    const std::string* old = table_.find(key);
    bool differs = old ? *old != expected : !expected.empty();
    result = differs ? (old ? *old : expected) : desired;
    return differs ? std::string() : record(key, &desired);
  });
  return result;
}

bool FileStore::delete_key(const std::string& key) {
  bool there = false;
  transact([&] {
    there = table_.find(key) != nullptr;
    return there ? record(key, nullptr) : std::string();
  });
  return there;
}

bool FileStore::check(const std::vector<std::string>& keys) {
  bool there = false;
  transact([&] {
    there = table_.has_all(keys);
    return std::string();
  });
  return there;
}

int64_t FileStore::num_keys() { return static_cast<int64_t>(list_keys().size()); }

std::vector<std::string> FileStore::list_keys() {
  std::vector<std::string> found;
  transact([&] {
    for (auto& key : table_.keys()) {
      if (key != kUsers) found.push_back(std::move(key));
    }
    return std::string();
  });
  return found;
}

void FileStore::wait(const std::vector<std::string>& keys, Milliseconds timeout) {
  auto deadline = Clock::now() + timeout;
  while (!check(keys)) {
    if (Clock::now() >= deadline) throw_wait_timeout(keys, timeout);
    check_interrupts();
    std::this_thread::sleep_for(kPollInterval);
  }
}

void FileStore::append(const std::string& key, const std::string& value) {
  transact([&] {
    const std::string* old = table_.find(key);
    std::string whole = (old ? *old : "") + value;
    return record(key, &whole);
  });
}

}  // namespace c10d
