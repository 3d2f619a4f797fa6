#pragma once
// Waits for messages that another thread can end.

#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include <gloo/transport/context.h>

namespace c10d {

// Gloo's transport, with waits that can be ended. Gloo itself loses a wakeup now and then: a
// message that is being written when its connection breaks is forgotten, and its sender waits until
// the timeout.
class GlooTransport final : public gloo::transport::Context {
 public:
  explicit GlooTransport(std::shared_ptr<gloo::transport::Context> inner);
  ~GlooTransport() override;

  std::unique_ptr<gloo::transport::Pair>& getPair(int rank) override;
  std::unique_ptr<gloo::transport::Pair>& createPair(int rank) override;
  std::unique_ptr<gloo::transport::UnboundBuffer> createUnboundBuffer(void* ptr,
                                                                      size_t size) override;

  // Ends all waits, those under way and later ones.
  void end_waits();
  // Ends waits for ranks whose connection is closed, if they were under way at the last call too.
  void end_lost_waits();
  // Whether the connection to that rank is closed, for all that is known here.
  bool is_closed(int peer) const;

  class Buffer;

 private:
  struct Waits {
    std::mutex mutex;
    std::unordered_set<Buffer*> buffers;
    bool have_ended = false;
  };
  std::shared_ptr<gloo::transport::Context> inner_;
  std::shared_ptr<Waits> waits_;
};

}  // namespace c10d
