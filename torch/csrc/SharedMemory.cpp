// Memory of memfd files, under storages.

#include <torch/csrc/SharedMemory.h>

#include <c10/util/ForkMutex.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/gil.h>

#include <map>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace torch {
namespace {

using FileId = std::pair<dev_t, ino_t>;

struct Segment {
  int fd;
  void* base;
  size_t size;
  FileId id;
  // Memory that somebody outside may still point to: of a storage that was exported.
  c10::DataPtr previous;
};

std::mutex segments_mutex;
c10::HoldDuringFork segments_hold(segments_mutex);
std::map<FileId, c10::weak_intrusive_ptr<c10::StorageImpl>>& segments() {
  static auto* const table = new std::map<FileId, c10::weak_intrusive_ptr<c10::StorageImpl>>();
  return *table;
}

void release_segment(void* context) {
  auto* segment = static_cast<Segment*>(context);
  {
    std::lock_guard<std::mutex> guard(segments_mutex);
    auto found = segments().find(segment->id);
    if (found != segments().end() && found->second.expired()) segments().erase(found);
  }
  munmap(segment->base, segment->size);
  if (segment->fd >= 0) close(segment->fd);
  delete segment;
}

Segment* segment_of(const at::Storage& s) {
  const c10::DataPtr& data = s.unsafeGetStorageImpl()->data_ptr();
  return data.get_deleter() == release_segment ? static_cast<Segment*>(data.get_context())
                                               : nullptr;
}

[[noreturn]] void throw_os_error() {
  PyErr_SetFromErrno(PyExc_OSError);
  throw python_error();
}

// Every shared storage has a descriptor, and the usual soft limit is 1024 of them. It is raised to
// the hard one before it is reached, because descriptors that arrive at a full table are lost.
void make_room_for_descriptors(int fd) {
  constexpr rlim_t kMargin = 128;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  if (fd >= 0 && static_cast<rlim_t>(fd) + kMargin < limit.rlim_cur) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int unnamed_file() {
  int fd = memfd_create("torch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
    char name[] = "/dev/shm/torch_XXXXXX";
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
  }
  return fd;
}

int new_file() {
  int fd = unnamed_file();
  if (fd < 0 && errno == EMFILE) {
    make_room_for_descriptors(-1);
    fd = unnamed_file();
  }
  if (fd < 0) throw_os_error();
  make_room_for_descriptors(fd);
  return fd;
}

void check_memory(int problem, int fd, size_t size) {
  if (problem == 0) return;
  close(fd);
  TORCH_CHECK_OUT_OF_MEMORY(false, "unable to allocate ", size,
                            " bytes of shared memory: ", strerror(problem));
}

void fix_size(int fd) { fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW); }

// Room is taken now: touching memory for which there is none would be a SIGBUS.
int empty_file(size_t size) {
  const int fd = new_file();
  check_memory(posix_fallocate(fd, 0, static_cast<off_t>(size)), fd, size);
  fix_size(fd);
  return fd;
}

// A file with these bytes. They are written, not copied through a mapping, which would cost a fault
// for each page. Without the GIL.
int file_of(const void* data, size_t size) {
  if (size == 0) return empty_file(1);
  const int fd = new_file();
  int problem = 0;
  {
    gil_scoped_release released;
    for (size_t done = 0; done < size && problem == 0;) {
      const ssize_t count = write(fd, static_cast<const char*>(data) + done, size - done);
      if (count < 0 && errno != EINTR) problem = errno;
      if (count > 0) done += static_cast<size_t>(count);
    }
  }
  check_memory(problem, fd, size);
  fix_size(fd);
  return fd;
}

// Maps the descriptor, which the segment then owns.
Segment* map_file(int fd, size_t size) {
  struct stat status;
  void* base = MAP_FAILED;
  if (fstat(fd, &status) == 0) {
    if (static_cast<size_t>(status.st_size) < size) {
      close(fd);
      TORCH_CHECK(false, "shared memory of ", status.st_size, " bytes, but ", size,
                  " are expected");
    }
    base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (base == MAP_FAILED) {
    const int problem = errno;
    close(fd);
    errno = problem;
    throw_os_error();
  }
  return new Segment{fd, base, size, {status.st_dev, status.st_ino}, {}};
}

c10::DataPtr data_of(Segment* segment) {
  return c10::DataPtr(segment->base, segment, release_segment, at::kCPU);
}

at::Storage storage_of(Segment* segment, size_t nbytes) {
  return at::Storage(c10::make_intrusive<c10::StorageImpl>(nbytes, data_of(segment), nullptr,
                                                           /*resizable=*/false));
}

void remember(const at::Storage& s, const FileId& id) {
  std::lock_guard<std::mutex> guard(segments_mutex);
  segments()[id] = c10::weak_intrusive_ptr<c10::StorageImpl>(s.getIntrusivePtr());
}

size_t mapped_size(size_t nbytes) { return nbytes == 0 ? 1 : nbytes; }

}  // namespace

bool is_shared_storage(const at::Storage& s) { return segment_of(s) != nullptr; }

int share_storage(const at::Storage& s) {
  TORCH_CHECK(s.device().is_cpu(), "share_memory_(): only storages on the CPU, not on ",
              s.device());
  Segment* present = segment_of(s);
  if (present && present->fd >= 0) return present->fd;
  c10::StorageImpl* impl = s.unsafeGetStorageImpl();
  Segment* segment = map_file(file_of(impl->data(), impl->nbytes()), mapped_size(impl->nbytes()));
  if (Segment* other = segment_of(s); other && other->fd >= 0) {  // another thread was quicker
    release_segment(segment);
    return other->fd;
  }
  const bool exported = !impl->resizable();
  c10::DataPtr previous = impl->set_data_ptr(data_of(segment));
  if (exported) segment->previous = std::move(previous);
  impl->set_resizable(false);
  remember(s, segment->id);
  return segment->fd;
}

int copy_to_descriptor(const at::Storage& s) {
  TORCH_CHECK(s.device().is_cpu(), "only storages on the CPU can be copied to a descriptor");
  return file_of(s.data(), s.nbytes());
}

at::Storage new_shared_storage(size_t nbytes) {
  Segment* segment = map_file(empty_file(mapped_size(nbytes)), mapped_size(nbytes));
  at::Storage s = storage_of(segment, nbytes);
  remember(s, segment->id);
  return s;
}

at::Storage storage_from_descriptor(int fd, size_t nbytes, bool keep_descriptor) {
  struct stat status;
  if (fstat(fd, &status) != 0) throw_os_error();
  const FileId id{status.st_dev, status.st_ino};
  {
    c10::intrusive_ptr<c10::StorageImpl> known;
    {
      std::lock_guard<std::mutex> guard(segments_mutex);
      auto found = segments().find(id);
      if (found != segments().end()) known = found->second.lock();
    }
    if (known && known->nbytes() == nbytes) return at::Storage(std::move(known));
  }
  make_room_for_descriptors(fd);
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) throw_os_error();
  Segment* segment = map_file(own, mapped_size(nbytes));
  if (!keep_descriptor) {
    close(segment->fd);
    segment->fd = -1;
  }
  at::Storage s = storage_of(segment, nbytes);
  remember(s, id);
  return s;
}

}  // namespace torch
