// The records of a profile, as Python tuples.

#include <torch/csrc/profiler/python_rows.h>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/profiler/Arguments.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/profiler/python_arguments.h>
#include <torch/csrc/profiler/python_tracer.h>
#include <torch/csrc/python_containers.h>

#include <algorithm>
#include <unordered_map>

namespace torch::profiler {

namespace {

using namespace at::profiler;

// Texts that many rows share.
class Texts {
 public:
  PyObject* of(const std::string& text) {
    THPObjectPtr& object = made_[text];
    if (!object)
      object =
          own(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    return Py_NewRef(object.get());
  }

 private:
  std::unordered_map<std::string, THPObjectPtr> made_;
};

// Which thread made a node: the latest making before it ran counts, since addresses are used again.
class Makers {
 public:
  explicit Makers(const Profile& profile) {
    for (const Thread& thread : profile.threads)
      for (const NodeMade& made : thread.nodes)
        by_node_[made.node].push_back({made.time, thread.number});
    for (auto& [node, made] : by_node_) std::sort(made.begin(), made.end());
  }
  // 0 where it was made before the profile.
  int32_t thread_of(const Range& range) const {
    auto at = by_node_.find(range.node);
    if (!range.node || range.sequence_nr < 0 || at == by_node_.end()) return 0;
    int32_t thread = 0;
    for (const auto& [time, number] : at->second)
      if (time <= range.start) thread = number;
    return thread;
  }

 private:
  std::unordered_map<const void*, std::vector<std::pair<int64_t, int32_t>>> by_node_;
};

// "file(line): function" of the C++ calls from the operator out to Python.
class CppFrames {
 public:
  void append(const std::vector<void*>& addresses, std::vector<std::string>& out) {
    for (void* address : addresses) {
      const std::string& text = of(address);
      if (text == kInterpreter) return;
      if (!text.empty()) out.push_back(text);
    }
  }

 private:
  static constexpr const char* kInterpreter = "(Python)";
  std::unordered_map<void*, std::string> known_;

  const std::string& of(void* address) {
    auto [at, inserted] = known_.try_emplace(address);
    if (!inserted) return at->second;
    // The return address may belong to the next line: look at the call itself.
    const c10::CodePlace& place = at::place_of_kernel(static_cast<char*>(address) - 1);
    const std::string& f = place.function;
    auto begins = [&](const char* with) { return f.rfind(with, 0) == 0; };
    bool own = f.find("at::profiler::") != std::string::npos ||
               f.find("ObservedCall") != std::string::npos ||
               f.find("at::impl::Call<") != std::string::npos ||
               f.find("capture_frames") != std::string::npos;
    if (begins("_Py") || begins("Py") || begins("cfunction_") || begins("method_vectorcall"))
      at->second = kInterpreter;
    else if (!f.empty() && !own)
      at->second = c10::str(place.file.empty() ? "?" : place.file, "(", place.line, "): ", f);
    return at->second;
  }
};

class Rows {
 public:
  Rows(const Profile& profile, uint32_t options) : options_(options), makers_(profile) {}

  PyObject* of(const Thread& thread) {
    std::vector<Usage> memory = memory_of(thread);
    return make_list(thread.ranges.size(), [&](size_t k) {
      return row(thread, k, memory[k]);
    }).release();
  }

  PyObject* memory_changes(const Thread& thread) {
    auto change = [&](size_t k) {
      const MemoryChange& m = thread.memory[k];
      return Py_BuildValue("(LKLLiiL)", static_cast<long long>(m.time),
                           static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(m.address)),
                           static_cast<long long>(m.nbytes), static_cast<long long>(m.allocated),
                           m.range, m.device, static_cast<long long>(m.reserved));
    };
    return make_list(thread.memory.size(), change).release();
  }

 private:
  uint32_t options_;
  Makers makers_;
  CppFrames cpp_frames_;
  Texts texts_;

  // What a range and those inside of it allocated less what they freed.
  struct Usage {
    int64_t cpu = 0, gpu = 0;
  };
  std::vector<Usage> memory_of(const Thread& thread) {
    std::vector<Usage> sums(thread.ranges.size());
    for (const MemoryChange& m : thread.memory)
      for (int32_t r = m.range; r >= 0; r = thread.ranges[static_cast<size_t>(r)].parent) {
        Usage& sum = sums[static_cast<size_t>(r)];
        (m.device < 0 ? sum.cpu : sum.gpu) += m.nbytes;
      }
    return sums;
  }

  PyObject* name(const Thread& thread, const Range& r) {
    if (r.op) return texts_.of(r.op->name);
    if (r.kind >= RangeKind::python) return texts_.of(name_of(r));
    const std::string& name = thread.names[static_cast<size_t>(r.name)];
    if (r.kind == RangeKind::evaluate)
      return texts_.of("autograd::engine::evaluate_function: " + name);
    return texts_.of(name);
  }

  PyObject* tuple_of(const std::vector<std::string>& texts) {
    return make_tuple(texts.size(), [&](size_t i) { return texts_.of(texts[i]); }).release();
  }

  // The functions and modules around a range, the innermost first. A line is where the frame stood
  // when the next range inside of it began.
  PyObject* stack(const Thread& thread, const Range& range) {
    if (!(options_ & kStacks)) return Py_NewRef(Py_None);
    std::vector<std::string> frames;
    if (range.cpp_stack >= 0)
      cpp_frames_.append(thread.cpp_stacks[static_cast<size_t>(range.cpp_stack)], frames);
    int32_t position = range.position;
    for (int32_t k = range.parent; k >= 0;) {
      const Range& r = thread.ranges[static_cast<size_t>(k)];
      if (r.kind == RangeKind::module) frames.push_back(name_of(r));
      if (r.kind == RangeKind::python) {
        frames.push_back(frame_at(r, position));
        position = r.position;
      }
      k = r.parent;
    }
    return tuple_of(frames);
  }

  PyObject* modules(const Thread& thread, const Range& range) {
    if (!(options_ & (kModules | kStacks))) return Py_NewRef(Py_None);
    std::vector<std::string> names;
    for (int32_t k = range.parent; k >= 0; k = thread.ranges[static_cast<size_t>(k)].parent) {
      const Range& r = thread.ranges[static_cast<size_t>(k)];
      if (r.kind == RangeKind::module)
        names.push_back(name_of(r).substr(sizeof("nn.Module: ") - 1));
    }
    std::reverse(names.begin(), names.end());
    return tuple_of(names);
  }

  PyObject* row(const Thread& thread, size_t k, const Usage& memory) {
    const Range& r = thread.ranges[k];
    long long flops = 0;
    THPObjectPtr inputs = THPObjectPtr::borrow(Py_None);
    if (r.arguments >= 0) {
      auto arguments = read_arguments(thread.words, static_cast<size_t>(r.arguments));
      if ((options_ & kFlops) && r.op) flops = count_flops(r.op->name, arguments);
      inputs = THPObjectPtr(arguments_of(arguments));
    }
    bool backward = r.kind == RangeKind::evaluate || r.kind == RangeKind::node;
    THPObjectPtr label(name(thread, r)), frames(stack(thread, r)), around(modules(thread, r));
    return check(Py_BuildValue(
        "(OsiiLLLLLiLOOO)", label.get(), r.op ? r.op->overload : "", static_cast<int>(r.kind),
        r.parent, static_cast<long long>(r.start), static_cast<long long>(r.end),
        static_cast<long long>(memory.cpu), static_cast<long long>(memory.gpu),
        static_cast<long long>(r.sequence_nr), backward ? makers_.thread_of(r) : 0, flops,
        inputs.get(), frames.get(), around.get()));
  }
};

}  // namespace

PyObject* rows_of(const Profile& profile, uint32_t options) {
  Rows rows(profile, options);
  THPObjectPtr threads = make_list(profile.threads.size(), [&](size_t i) {
    const Thread& thread = profile.threads[i];
    THPObjectPtr ranges(rows.of(thread)), changes(rows.memory_changes(thread));
    return Py_BuildValue("(KiiOO)", static_cast<unsigned long long>(thread.id), thread.number,
                         thread.first, ranges.get(), changes.get());
  });
  return check(Py_BuildValue("(LLLKO)", static_cast<long long>(profile.start),
                             static_cast<long long>(profile.end),
                             static_cast<long long>(profile.wall_start),
                             static_cast<unsigned long long>(profile.run), threads.get()));
}

}  // namespace torch::profiler
