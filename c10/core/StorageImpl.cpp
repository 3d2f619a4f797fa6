// Resizing a storage.

#include <c10/core/StorageImpl.h>

#include <algorithm>
#include <cstring>

#include <c10/util/Exception.h>

namespace c10 {

void StorageImpl::resize(size_t nbytes) {
  TORCH_CHECK(resizable_ && allocator_, "Trying to resize storage that is not resizable");
  if (nbytes == nbytes_) return;
  DataPtr new_data = allocator_->allocate(nbytes);
  size_t kept = std::min(nbytes, nbytes_);
  if (kept && device().is_cpu()) std::memcpy(new_data.get(), data_.get(), kept);
  data_ = std::move(new_data);
  guarded_ |= nbytes < nbytes_;
  nbytes_ = nbytes;
}

}  // namespace c10
