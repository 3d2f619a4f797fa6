// ReduceOp and the options of collectives, for Python.

#include <torch/csrc/distributed/c10d/Types.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>

namespace c10d {
namespace {

const char* const kReduceOpDoc = R"(How the values of several ranks are combined.

SUM, AVG, PRODUCT, MIN, MAX, and for integers BAND, BOR and BXOR, bit by bit.

Args:
    op (RedOpType): one of them

Example:
    >>> torch.distributed.ReduceOp.SUM
    <RedOpType.SUM: 0>
)";

std::string doc_of(const char* name) {
  return std::string(
             "What ProcessGroup is told about one collective: see its attributes.\n\nExample:\n    "
             ">>> torch._C._distributed_c10d.") +
         name + "().asyncOp\n    True\n";
}

// What all options have is bound once, in their base.
template <typename Options>
auto bind(py::module_& module, const char* name) {
  return py::class_<Options, CollectiveOptions>(module, name, doc_of(name).c_str())
      .def(py::init<>());
}

template <typename Options>
auto bind_reducing(py::module_& module, const char* name) {
  return bind<Options>(module, name).def_property("reduceOp", [](const Options& o) {
    return o.reduce_op;
  }, [](Options& o, ReduceOp op) { o.reduce_op = op; }, "How values are combined.");
}

template <typename Class, typename Options>
void add_root(Class& c, int64_t Options::* rank) {
  c.def_readwrite("rootRank", rank, "The rank that sends or receives.");
}

}  // namespace

void bind_options(py::module_& module) {
  py::class_<ReduceOp> op(module, "ReduceOp", kReduceOpDoc);
  py::enum_<ReduceOp::RedOpType> kinds(op, "RedOpType", "The ways of ReduceOp.");
  for (auto kind : {ReduceOp::SUM, ReduceOp::AVG, ReduceOp::PRODUCT, ReduceOp::MIN, ReduceOp::MAX,
                    ReduceOp::BAND, ReduceOp::BOR, ReduceOp::BXOR, ReduceOp::PREMUL_SUM}) {
    kinds.value(name_of(kind), kind);
  }
  kinds.export_values();
  op.def(py::init<ReduceOp::RedOpType>(), py::arg("op"))
      .def_property_readonly("op", [](const ReduceOp& r) { return r.op; }, "The way.")
      .def("__eq__",
           [](const ReduceOp& a, const py::object& b) {
    if (py::isinstance<ReduceOp>(b)) return a.op == b.cast<ReduceOp>().op;
    return py::isinstance<ReduceOp::RedOpType>(b) && a.op == b.cast<ReduceOp::RedOpType>();
  })
      .def("__hash__", [](const ReduceOp& r) { return static_cast<int>(r.op); })
      .def("__repr__", [](const ReduceOp& r) {
    return std::string("<ReduceOp.") + name_of(r.op) + ">";
  }).def("__copy__", [](const ReduceOp& r) {
    return r;
  }).def("__deepcopy__", [](const ReduceOp& r, const py::dict&) {
    return r;
  }).def(py::pickle([](const ReduceOp& r) {
    return py::make_tuple(static_cast<int>(r.op));
  }, [](const py::tuple& state) {
    int number = state[0].cast<int>();
    TORCH_CHECK_VALUE(number >= 0 && number <= ReduceOp::PREMUL_SUM,
                      "ReduceOp: there is no operation ", number);
    return ReduceOp(static_cast<ReduceOp::RedOpType>(number));
  }));
  py::implicitly_convertible<ReduceOp::RedOpType, ReduceOp>();

  py::class_<CollectiveOptions>(module, "CollectiveOptions", doc_of("CollectiveOptions").c_str())
      .def(py::init<>())
      .def_readwrite("timeout", &CollectiveOptions::timeout,
                     "How long the collective may take; None: as long as the group's.")
      .def_readwrite("asyncOp", &CollectiveOptions::async_op, "False if the caller waits at once.");
  bind_reducing<AllreduceOptions>(module, "AllreduceOptions");
  py::class_<AllreduceCoalescedOptions, AllreduceOptions>(
      module, "AllreduceCoalescedOptions",
      "The options of all_reduce_coalesced.\n\nExample:\n    >>> "
      "torch.distributed.AllreduceCoalescedOptions().asyncOp\n    True\n")
      .def(py::init<>());
  auto reduce = bind_reducing<ReduceOptions>(module, "ReduceOptions");
  add_root(reduce, &ReduceOptions::root_rank);
  reduce.def_readwrite("rootTensor", &ReduceOptions::root_tensor,
                       "Of no effect: a rank has one tensor.");
  bind_reducing<ReduceScatterOptions>(module, "ReduceScatterOptions");
  auto broadcast = bind<BroadcastOptions>(module, "BroadcastOptions");
  add_root(broadcast, &BroadcastOptions::root_rank);
  broadcast.def_readwrite("rootTensor", &BroadcastOptions::root_tensor,
                          "Of no effect: a rank has one tensor.");
  bind<AllgatherOptions>(module, "AllgatherOptions");
  auto gather = bind<GatherOptions>(module, "GatherOptions");
  add_root(gather, &GatherOptions::root_rank);
  auto scatter = bind<ScatterOptions>(module, "ScatterOptions");
  add_root(scatter, &ScatterOptions::root_rank);
  bind<AllToAllOptions>(module, "AllToAllOptions");
  bind<BarrierOptions>(module, "BarrierOptions")
      .def_readwrite("device_ids", &BarrierOptions::device_ids, "Of no effect on the CPU.");
}

}  // namespace c10d
