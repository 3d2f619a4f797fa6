// Waits for messages that another thread can end.

#include <torch/csrc/distributed/c10d/gloo_waits.h>

#include <gloo/common/error.h>
#include <gloo/transport/unbound_buffer.h>

namespace c10d {
namespace {

constexpr int kNoRank = -1;

// A slot that no collective and no tag of a user has.
constexpr uint64_t kProbeSlot = ~uint64_t{0};

}  // namespace

class GlooTransport::Buffer final : public gloo::transport::UnboundBuffer {
 public:
  Buffer(std::unique_ptr<gloo::transport::UnboundBuffer> inner, std::shared_ptr<Waits> waits)
      : UnboundBuffer(inner->ptr, inner->size), inner_(std::move(inner)), waits_(std::move(waits)) {
    std::lock_guard<std::mutex> lock(waits_->mutex);
    waits_->buffers.insert(this);
  }
  ~Buffer() override {
    std::lock_guard<std::mutex> lock(waits_->mutex);
    waits_->buffers.erase(this);
  }

  bool waitRecv(int* rank, std::chrono::milliseconds timeout) override {
    return wait(source_, [&] { return inner_->waitRecv(rank, timeout); });
  }
  bool waitSend(int* rank, std::chrono::milliseconds timeout) override {
    return wait(destination_, [&] { return inner_->waitSend(rank, timeout); });
  }
  void abortWaitRecv() override { inner_->abortWaitRecv(); }
  void abortWaitSend() override { inner_->abortWaitSend(); }

  void send(int rank, uint64_t slot, size_t offset, size_t nbytes) override {
    destination_ = rank;
    inner_->send(rank, slot, offset, nbytes);
  }
  void recv(int rank, uint64_t slot, size_t offset, size_t nbytes) override {
    source_ = rank;
    inner_->recv(rank, slot, offset, nbytes);
  }
  void recv(std::vector<int> ranks, uint64_t slot, size_t offset, size_t nbytes) override {
    source_ = kNoRank;
    inner_->recv(std::move(ranks), slot, offset, nbytes);
  }

  // With the mutex of the waits.
  void end_wait() {
    inner_->abortWaitRecv();
    inner_->abortWaitSend();
  }
  void end_wait_if_lost(const GlooTransport& transport) {
    if (waits_for_ == kNoRank) return;
    // The first second is for the wakeup that comes by itself.
    if (was_seen_ && transport.is_closed(waits_for_)) {
      has_lost_peer_ = true;
      end_wait();
    }
    was_seen_ = true;
  }

 private:
  template <typename F>
  bool wait(int rank, F inner_wait) {
    {
      std::lock_guard<std::mutex> lock(waits_->mutex);
      if (waits_->have_ended) fail();
      waits_for_ = rank;
      was_seen_ = false;
    }
    bool completed = inner_wait();
    std::lock_guard<std::mutex> lock(waits_->mutex);
    waits_for_ = kNoRank;
    if (!completed && (waits_->have_ended || has_lost_peer_)) fail();
    return completed;
  }
  [[noreturn]] static void fail() { throw gloo::IoException("Connection closed"); }

  std::unique_ptr<gloo::transport::UnboundBuffer> inner_;
  std::shared_ptr<Waits> waits_;
  // The last rank of a message each way.
  int source_ = kNoRank, destination_ = kNoRank;
  int waits_for_ = kNoRank;
  bool was_seen_ = false, has_lost_peer_ = false;
};

GlooTransport::GlooTransport(std::shared_ptr<gloo::transport::Context> inner)
    : gloo::transport::Context(inner->rank, inner->size),
      inner_(std::move(inner)),
      waits_(std::make_shared<Waits>()) {}

GlooTransport::~GlooTransport() = default;

std::unique_ptr<gloo::transport::Pair>& GlooTransport::getPair(int rank) {
  return inner_->getPair(rank);
}

std::unique_ptr<gloo::transport::Pair>& GlooTransport::createPair(int rank) {
  return inner_->createPair(rank);
}

std::unique_ptr<gloo::transport::UnboundBuffer> GlooTransport::createUnboundBuffer(void* ptr,
                                                                                   size_t size) {
  return std::make_unique<Buffer>(inner_->createUnboundBuffer(ptr, size), waits_);
}

bool GlooTransport::is_closed(int peer) const {
  auto nothing = inner_->createUnboundBuffer(nullptr, 0);
  try {
    nothing->send(peer, kProbeSlot);
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

void GlooTransport::end_waits() {
  std::lock_guard<std::mutex> lock(waits_->mutex);
  waits_->have_ended = true;
  for (Buffer* buffer : waits_->buffers) buffer->end_wait();
}

void GlooTransport::end_lost_waits() {
  std::lock_guard<std::mutex> lock(waits_->mutex);
  for (Buffer* buffer : waits_->buffers) buffer->end_wait_if_lost(*this);
}

}  // namespace c10d
