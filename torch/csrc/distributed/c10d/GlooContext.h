#pragma once
// Gloo's context: connections between all ranks of a group, found through a store.

#include <memory>
#include <string>
#include <vector>

#include <gloo/common/error.h>
#include <gloo/context.h>
#include <gloo/transport/device.h>
#include <torch/csrc/distributed/c10d/Store.h>
#include <torch/csrc/distributed/c10d/gloo_waits.h>

namespace c10d {

class GlooContext final : public gloo::Context {
 public:
  GlooContext(int rank, int size) : gloo::Context(rank, size) {}

  void connect(Store& store, std::shared_ptr<gloo::transport::Device> device, Milliseconds timeout);
  // Ends what is under way, here and on the other ranks, and closes the connections.
  void abort();
  // The ranks whose connections are broken.
  std::vector<int> broken_peers();
  GlooTransport& transport() { return *transport_; }

 private:
  GlooTransport* transport_ = nullptr;  // the base class owns it
};

// See Note [Tags of collectives]. The highest bit is free.
uint32_t tag_of(uint32_t number, const char* name, uint64_t kind);

// Where this process listens for the others: at an interface or a host name; with neither, as in
// Note [Where Gloo listens].
std::shared_ptr<gloo::transport::Device> gloo_device(const std::string& interface,
                                                     const std::string& host);
std::shared_ptr<gloo::transport::Device> default_gloo_device(const Store& store);

}  // namespace c10d
