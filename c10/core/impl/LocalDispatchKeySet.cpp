// The two dispatch key sets of a thread, and the guards that change them.

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace c10::impl {
__thread LocalState tls_local_state
    __attribute__((tls_model("initial-exec"))) = {0, 0, 0, false, false};
}
