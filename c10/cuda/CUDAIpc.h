#pragma once
// Device memory and events of other processes.
//
// Note [Memory of several processes]
// The process that sends a storage keeps its block until all receivers are done with it. Each
// message raises a counter of the storage, in a file that both processes map, and the receiver
// lowers it when its own storage is gone. A block whose storage is gone before waits for that: it
// is returned when the next storage is sent, when memory is short, or by collect().
//
// The sender records an event with each message, and the receiver's stream waits for it. A message
// that comes back to its sender, or that comes twice, gives the storage that is there already.
//
// A sender that ends takes its memory with it. A receiver that is killed lowers no counter: the
// sender then keeps the block until it ends.

#include <string>

#include <c10/core/StorageImpl.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda::ipc {

struct Message {
  DeviceIndex device = 0;
  std::string memory;  // CUDA's handle of the allocation
  size_t size = 0;     // bytes of the storage
  size_t offset = 0;   // where they begin in the allocation
  std::string counters;
  size_t counter = 0;
  std::string event;  // CUDA's handle, if the receiver must wait
};

C10_API Message send(StorageImpl& storage);
C10_API intrusive_ptr<StorageImpl> receive(const Message& message);
// Of a message that nobody receives.
C10_API void drop(const std::string& counters, size_t counter);
// Returns blocks that receivers are done with.
C10_API void collect();
bool has_waiting();

// An event that ipc_handle() and other processes take.
C10_API cudaEvent_t make_event(DeviceIndex device);
C10_API std::string event_handle(cudaEvent_t event);
C10_API cudaEvent_t open_event(DeviceIndex device, const std::string& handle);

// What the allocator needs: the data that a storage had before it was sent, itself otherwise.
const DataPtr& original(const DataPtr& data);
// The block of the sender is kept until the work that the stream has now is done. False if the data
// came from no other process.
bool record_stream(const DataPtr& data, CUDAStream stream);

}  // namespace c10::cuda::ipc
