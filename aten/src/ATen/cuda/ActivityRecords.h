#pragma once
// The records that CUPTI gave during a profile, as DeviceActivity. For DeviceActivities.cpp.

#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <ATen/cuda/CuptiApi.h>
#include <ATen/cuda/DeviceActivities.h>

namespace at::cuda {

// The runtime's functions whose calls are not kept: they start and await nothing.
std::vector<uint32_t> queries_of_the_runtime();

// Any thread may call the methods.
class ActivityRecords {
 public:
  void add(const cupti::Record& record);
  void add_dropped(size_t count);
  // See stop_activities.
  DeviceActivities between(int64_t from, int64_t to);
  void clear();

 private:
  std::mutex mutex_;
  std::vector<DeviceActivity> activities_;
  std::unordered_map<uint32_t, uint64_t> ranges_;  // by correlation
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, const std::string*> kernels_;  // by mangled name
  std::unordered_map<uint64_t, const std::string*> calls_;       // null: a query
  uint64_t dropped_ = 0;

  // False if the record is left out.
  bool read_any(const cupti::Record& record, DeviceActivity& a);
  bool read_kernel(const cupti::KernelRecord& record, DeviceActivity& a);
  bool read_call(const cupti::CallRecord& record, DeviceActivity::Kind kind, int domain,
                 DeviceActivity& a);
};

}  // namespace at::cuda
