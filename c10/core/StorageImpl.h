#pragma once
// StorageImpl: a run of bytes that tensors share, with the version counter of what it holds.
//
// Note [Version counters]
// Every in-place change of a tensor increments the version; autograd compares it with the version
// that it saved with the tensor. The storage holds the counter, since views share both. A tensor
// that shares memory without sharing history (`x.data`) has its own counter in its TensorImpl.

#include <atomic>

#include <c10/core/Allocator.h>
#include <c10/util/intrusive_ptr.h>

namespace c10 {

struct StorageImpl final : intrusive_ptr_target {
  StorageImpl(size_t nbytes, DataPtr data, Allocator* allocator, bool resizable)
      : data_(std::move(data)),
        nbytes_(nbytes),
        allocator_(allocator),
        resizable_(resizable),
        guarded_(data_.device().is_meta()) {}
  StorageImpl(size_t nbytes, Allocator* allocator, bool resizable)
      : StorageImpl(nbytes, allocator->allocate(nbytes), allocator, resizable) {}

  void* data() const { return data_.get(); }
  const DataPtr& data_ptr() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  Allocator* allocator() const { return allocator_; }
  bool resizable() const { return resizable_; }
  // Whether a tensor may reach beyond these bytes: the meta device has none, and resize() may have
  // removed some. Such a storage is checked carefully before it is read.
  bool guarded() const { return guarded_; }
  Device device() const { return data_.device(); }

  void set_nbytes(size_t nbytes) { nbytes_ = nbytes; }
  void set_resizable(bool resizable) { resizable_ = resizable; }
  DataPtr set_data_ptr(DataPtr data) {
    std::swap(data_, data);
    guarded_ |= data_.device().is_meta();
    return data;
  }
  // Grows or shrinks to nbytes, keeping the bytes that both sizes share. Throws unless resizable.
  void resize(size_t nbytes);

  std::atomic<uint32_t> version{0};

 private:
  void release_resources() override { data_.clear(); }

  DataPtr data_;
  size_t nbytes_;
  Allocator* allocator_;
  bool resizable_;
  bool guarded_;
};

class Storage {
 public:
  Storage() = default;
  Storage(intrusive_ptr<StorageImpl> impl) : impl_(std::move(impl)) {}
  static Storage allocate(size_t nbytes, Allocator* allocator) {
    return Storage(make_intrusive<StorageImpl>(nbytes, allocator, /*resizable=*/true));
  }
  // Bytes owned by the caller; `deleter(context)` runs when the last tensor is gone.
  static Storage from_blob(void* data, size_t nbytes, void* context, DeleterFnPtr deleter,
                           Device device) {
    return Storage(make_intrusive<StorageImpl>(nbytes, DataPtr(data, context, deleter, device),
                                               nullptr, /*resizable=*/false));
  }

  explicit operator bool() const { return impl_.defined(); }
  void* data() const { return impl_->data(); }
  size_t nbytes() const { return impl_->nbytes(); }
  Device device() const { return impl_->device(); }
  StorageImpl* unsafeGetStorageImpl() const { return impl_.get(); }
  const intrusive_ptr<StorageImpl>& getIntrusivePtr() const { return impl_; }
  bool guarded() const { return impl_->guarded(); }
  uint32_t use_count() const { return impl_.use_count(); }
  bool is_alias_of(const Storage& o) const { return impl_ == o.impl_; }

 private:
  intrusive_ptr<StorageImpl> impl_;
};

}  // namespace c10

namespace at {
using c10::Storage;
}
