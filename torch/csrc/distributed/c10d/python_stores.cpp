// Store and its kinds, for Python. Values are bytes; a str is encoded.

#include <torch/csrc/distributed/c10d/FileStore.h>
#include <torch/csrc/distributed/c10d/HashStore.h>
#include <torch/csrc/distributed/c10d/PrefixStore.h>
#include <torch/csrc/distributed/c10d/TCPStore.h>
#include <torch/csrc/distributed/c10d/python_c10d.h>

namespace c10d {
namespace {

using Keys = std::vector<std::string>;

const char* const kStoreDoc =
    R"(A key-value store that several processes share; see TCPStore, FileStore, HashStore and PrefixStore.

Example:
    >>> isinstance(torch.distributed.HashStore(), torch.distributed.Store)
    True
)";
const char* const kTcpDoc = R"(A store that one process serves over TCP.

The server listens at the loopback device if `host_name` is "localhost" or an address of it, so that no other machine
connects. What clients send stays bytes; nothing is unpickled.

Args:
    host_name (str): where the server is
    port (int): its port; on the server, 0 chooses a free one
    world_size (int, optional): how many stores, the server's among them, the server waits for
    is_master (bool, default False): whether this process is the server
    timeout (timedelta, default 5 minutes): for connecting, and for keys that `get` and `wait` need
    wait_for_workers (bool, default True): wait for `world_size` stores
    multi_tenant (bool, default False): stores of this process share one server of the port
    master_listen_fd (int, optional): a listening socket to serve at
    use_libuv (bool, default True): of no effect

Raises:
    DistNetworkError: no connection in time, or the port is taken
    DistStoreError: too few stores came

Example:
    >>> store = torch.distributed.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    >>> store.set("a", "1")
    >>> store.get("a")
    b'1'
)";
const char* const kFileDoc = R"(A store in a file that all processes can open.

Args:
    file_name (str): the path
    world_size (int, default -1): how many processes use it; the last one that ends removes the file, with -1 it stays

Example:
    >>> import tempfile
    >>> store = torch.distributed.FileStore(tempfile.mkdtemp() + "/store", 1)
    >>> store.add("n", 2)
    2
)";
const char* const kHashDoc = R"(A store in the memory of one process, for its threads.

Example:
    >>> store = torch.distributed.HashStore()
    >>> store.set("a", "1")
    >>> store.get("a")
    b'1'
)";
const char* const kPrefixDoc = R"(A store that puts something before every key of another one.

Args:
    prefix (str): comes before the key, with a slash
    store (Store): the other store

Example:
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.PrefixStore("group", store).set("a", "1")
    >>> store.get("group/a")
    b'1'
)";

py::list bytes_of(const std::vector<std::string>& values) {
  py::list found;
  for (const auto& value : values) found.append(py::bytes(value));
  return found;
}

template <typename F>
auto without_gil(F&& f) {
  torch::gil_scoped_release release;
  return f();
}

}  // namespace

void bind_stores(py::module_& module) {
  py::class_<Store, std::shared_ptr<Store>>(module, "Store", kStoreDoc)
      .def("set", &Store::set, py::arg("key"), py::arg("value"), ReleaseGil(),
           "Sets the value of a key.")
      .def("get",
           [](Store& s, const std::string& key) {
    return py::bytes(without_gil([&] { return s.get(key); }));
  }, py::arg("key"), "The value of a key, which may take `timeout` to come.")
      .def("add", &Store::add, py::arg("key"), py::arg("amount"), ReleaseGil(),
           "Adds to a number and gives the sum.")
      .def("compare_set",
           [](Store& s, const std::string& key, const std::string& expected,
              const std::string& desired) {
    return py::bytes(without_gil([&] { return s.compare_set(key, expected, desired); }));
  },
           py::arg("key"), py::arg("expected_value"), py::arg("desired_value"),
           "Sets `desired_value` if the value is `expected_value`; gives the value after that.")
      .def("delete_key", &Store::delete_key, py::arg("key"), ReleaseGil(),
           "Removes a key; whether it was there.")
      .def("num_keys", &Store::num_keys, ReleaseGil(), "How many keys there are.")
      .def("list_keys", &Store::list_keys, ReleaseGil(), "All keys.")
      .def("check", &Store::check, py::arg("keys"), ReleaseGil(),
           "Whether all these keys are there.")
      .def("wait", [](Store& s, const Keys& keys) { s.wait(keys); }, py::arg("keys"), ReleaseGil(),
           "Waits until all these keys are there.")
      .def("wait", [](Store& s, const Keys& keys, Milliseconds timeout) { s.wait(keys, timeout); },
           py::arg("keys"), py::arg("timeout"), ReleaseGil())
      .def("append", &Store::append, py::arg("key"), py::arg("value"), ReleaseGil(),
           "Appends to the value of a key.")
      .def("multi_get",
           [](Store& s, const Keys& keys) {
    return bytes_of(without_gil([&] { return s.multi_get(keys); }));
  }, py::arg("keys"), "The values of several keys.")
      .def("multi_set", &Store::multi_set, py::arg("keys"), py::arg("values"), ReleaseGil(),
           "Sets several keys.")
      .def("queue_push", &Store::queue_push, py::arg("key"), py::arg("value"), ReleaseGil(),
           "Appends to a queue.")
      .def("queue_pop",
           [](Store& s, const std::string& key, bool block) {
    return py::bytes(without_gil([&] { return s.queue_pop(key, block); }));
  }, py::arg("key"), py::arg("block") = true, "Takes the first value of a queue.")
      .def("queue_len", &Store::queue_len, py::arg("key"), ReleaseGil(), "The length of a queue.")
      .def("barrier", &Store::barrier, py::arg("key"), py::arg("world_size"),
           py::arg("timeout") = std::nullopt, ReleaseGil(),
           "Waits until `world_size` callers are here.")
      .def("clone", &Store::clone, ReleaseGil(), "The same store by a connection of its own.")
      .def("has_extended_api", &Store::has_extended_api,
           "Whether functions of several keys cost one exchange.")
      .def("set_timeout", &Store::set_timeout, py::arg("timeout"),
           "Sets how long `get` and `wait` wait.")
      .def_property_readonly("timeout", &Store::timeout, "How long `get` and `wait` wait.")
      .def("__repr__", [](const Store& s) { return "<" + s.describe() + ">"; });

  py::class_<HashStore, Store, std::shared_ptr<HashStore>>(module, "HashStore", kHashDoc)
      .def(py::init<>());

  py::class_<FileStore, Store, std::shared_ptr<FileStore>>(module, "FileStore", kFileDoc)
      .def(py::init<std::string, int64_t>(), py::arg("file_name"), py::arg("world_size") = -1,
           ReleaseGil())
      .def_property_readonly("path", &FileStore::path, "The path of the file.");

  py::class_<PrefixStore, Store, std::shared_ptr<PrefixStore>>(module, "PrefixStore", kPrefixDoc)
      .def(py::init<std::string, std::shared_ptr<Store>>(), py::arg("prefix"), py::arg("store"))
      .def_property_readonly("underlying_store", &PrefixStore::underlying, "The other store.")
      .def_property_readonly("_underlying_non_prefix_store", &PrefixStore::underlying_non_prefix);

  py::class_<TCPStore, Store, std::shared_ptr<TCPStore>>(module, "TCPStore", kTcpDoc)
      .def(py::init([](std::string host, int port, std::optional<int64_t> world_size,
                       bool is_master, Milliseconds timeout, bool wait_for_workers,
                       bool multi_tenant, std::optional<int> listen_fd, bool /*use_libuv*/) {
    torch::gil_scoped_release release;
    TCPStoreOptions options{port,    is_master,    world_size, wait_for_workers,
                            timeout, multi_tenant, listen_fd};
    return std::make_shared<TCPStore>(std::move(host), options);
  }),
           py::arg("host_name"), py::arg("port"), py::arg("world_size") = std::nullopt,
           py::arg("is_master") = false, py::arg("timeout") = kDefaultStoreTimeout,
           py::arg("wait_for_workers") = true, py::arg("multi_tenant") = false,
           py::arg("master_listen_fd") = std::nullopt, py::arg("use_libuv") = true)
      .def_property_readonly("host", &TCPStore::host, "The name of the server's machine.")
      .def_property_readonly("port", &TCPStore::port, "The port of the server.");
}

}  // namespace c10d
