#pragma once
// A store in a file that all processes can open: a log of changes, read under a lock of the file.

#include <functional>
#include <mutex>

#include <torch/csrc/distributed/c10d/StoreTable.h>

namespace c10d {

// The last of `world_size` processes that closes the store removes the file; with -1 it stays.
class FileStore final : public Store {
 public:
  FileStore(std::string path, int64_t world_size);
  ~FileStore() override;

  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  std::string compare_set(const std::string& key, const std::string& expected,
                          const std::string& desired) override;
  bool delete_key(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t num_keys() override;
  std::vector<std::string> list_keys() override;
  using Store::wait;
  void wait(const std::vector<std::string>& keys, Milliseconds timeout) override;
  void append(const std::string& key, const std::string& value) override;
  std::shared_ptr<Store> clone() override {
    return std::make_shared<FileStore>(path_, world_size_);
  }
  std::string describe() const override { return "FileStore(" + path_ + ")"; }

  const std::string& path() const { return path_; }

 private:
  // Reads what others have written and runs f with the file locked. f gives the records to write.
  void transact(const std::function<std::string()>& f);
  void read_records(int fd);
  static std::string record(const std::string& key, const std::string* value);

  std::string path_;
  int64_t world_size_;
  std::mutex mutex_;
  StoreTable table_;
  int64_t position_ = 0;
};

}  // namespace c10d
