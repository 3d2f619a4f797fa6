#include <torch/csrc/profiler/python_rows.h>

#include <ATen/core/dispatch/DispatchTrace.h>
#include <ATen/core/profiler/Arguments.h>
#include <c10/util/StringUtil.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/profiler/python_arguments.h>
#include <torch/csrc/profiler/python_tracer.h>

#include <algorithm>
#include <unordered_map>

namespace torch::profiler {

namespace {

using namespace at::profiler;

// Texts that many rows share.
class Texts {
 public:
  ~Texts() {
    for (auto& [text, object] : made_) Py_DECREF(object);
  }
  PyObject* of(const std::string& text) {
    auto [at, fresh] = made_.try_emplace(text, nullptr);
    if (fresh)
      at->second =
          check(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    return Py_NewRef(at->second);
  }

 private:
  std::unordered_map<std::string, PyObject*> made_;
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
    auto [at, fresh] = known_.try_emplace(address);
    if (!fresh) return at->second;
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
    std::vector<int64_t> memory = memory_of(thread);
    auto n = static_cast<Py_ssize_t>(thread.ranges.size());
    PyObject* rows = check(PyList_New(n));
    for (Py_ssize_t k = 0; k < n; ++k)
      PyList_SET_ITEM(rows, k, row(thread, static_cast<size_t>(k), memory));
    return rows;
  }

  PyObject* memory_changes(const Thread& thread) {
    auto n = static_cast<Py_ssize_t>(thread.memory.size());
    PyObject* changes = check(PyList_New(n));
    for (Py_ssize_t k = 0; k < n; ++k) {
      const MemoryChange& m = thread.memory[static_cast<size_t>(k)];
      PyList_SET_ITEM(
          changes, k,
          check(Py_BuildValue(
              "(LKLLi)", static_cast<long long>(m.time),
              static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(m.address)),
              static_cast<long long>(m.nbytes), static_cast<long long>(m.allocated), m.range)));
    }
    return changes;
  }

 private:
  uint32_t options_;
  Makers makers_;
  CppFrames cpp_frames_;
  Texts texts_;

  // What each range and those inside of it allocated less what they freed.
  std::vector<int64_t> memory_of(const Thread& thread) {
    std::vector<int64_t> sums(thread.ranges.size());
    for (const MemoryChange& m : thread.memory)
      for (int32_t r = m.range; r >= 0; r = thread.ranges[static_cast<size_t>(r)].parent)
        sums[static_cast<size_t>(r)] += m.nbytes;
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
    PyObject* tuple = check(PyTuple_New(static_cast<Py_ssize_t>(texts.size())));
    for (size_t i = 0; i < texts.size(); ++i)
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), texts_.of(texts[i]));
    return tuple;
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

  PyObject* row(const Thread& thread, size_t k, const std::vector<int64_t>& memory) {
    const Range& r = thread.ranges[k];
    long long flops = 0;
    PyObject* inputs = nullptr;
    if (r.arguments >= 0) {
      auto arguments = read_arguments(thread.words, static_cast<size_t>(r.arguments));
      if ((options_ & kFlops) && r.op) flops = count_flops(r.op->name, arguments);
      inputs = arguments_of(arguments);
    }
    bool backward = r.kind == RangeKind::evaluate || r.kind == RangeKind::node;
    return check(Py_BuildValue(
        "(NsiiLLLLiLNNN)", name(thread, r), r.op ? r.op->overload : "", static_cast<int>(r.kind),
        r.parent, static_cast<long long>(r.start), static_cast<long long>(r.end),
        static_cast<long long>(memory[k]), static_cast<long long>(r.sequence_nr),
        backward ? makers_.thread_of(r) : 0, flops, inputs ? inputs : Py_NewRef(Py_None),
        stack(thread, r), modules(thread, r)));
  }
};

}  // namespace

PyObject* rows_of(const Profile& profile, uint32_t options) {
  Rows rows(profile, options);
  auto n = static_cast<Py_ssize_t>(profile.threads.size());
  PyObject* threads = check(PyList_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Thread& thread = profile.threads[static_cast<size_t>(i)];
    PyList_SET_ITEM(
        threads, i,
        check(Py_BuildValue("(KiNN)", static_cast<unsigned long long>(thread.id), thread.number,
                            rows.of(thread), rows.memory_changes(thread))));
  }
  return check(Py_BuildValue("(LLLN)", static_cast<long long>(profile.start),
                             static_cast<long long>(profile.end),
                             static_cast<long long>(profile.wall_start), threads));
}

}  // namespace torch::profiler
