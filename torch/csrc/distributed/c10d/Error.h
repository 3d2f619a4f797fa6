#pragma once
// Errors of the distributed package. Python has classes of the same names (torch.distributed).

#include <c10/util/Exception.h>

namespace c10d {

struct DistError : c10::Error {
  using Error::Error;
};
// Of a backend: a collective that failed or ran out of time.
struct DistBackendError final : DistError {
  using DistError::DistError;
};
// Of a connection.
struct DistNetworkError final : DistError {
  using DistError::DistError;
};
// Of a store: most often a key that did not come in time.
struct DistStoreError : DistError {
  using DistError::DistError;
};
struct QueueEmptyError final : DistStoreError {
  using DistStoreError::DistStoreError;
};

}  // namespace c10d
