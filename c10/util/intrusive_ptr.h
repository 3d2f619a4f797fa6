#pragma once
// intrusive_ptr<T>: shared ownership with the counts inside the object, so that a pointer is one
// word and making an object is one allocation. T derives from intrusive_ptr_target.
//
// Strong owners keep the object alive; weak owners keep only its memory. When the last strong owner
// releases it, release_resources() runs if weak owners remain; the destructor runs when the last
// owner of any kind is gone. All strong owners together hold one weak count.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <c10/macros/Macros.h>

namespace c10 {

class intrusive_ptr_target {
 public:
  intrusive_ptr_target() = default;
  intrusive_ptr_target(const intrusive_ptr_target&) {}
  intrusive_ptr_target& operator=(const intrusive_ptr_target&) { return *this; }

  uint32_t use_count() const { return refcount_.load(std::memory_order_acquire); }
  uint32_t weak_use_count() const { return weakcount_.load(std::memory_order_acquire); }

 protected:
  virtual ~intrusive_ptr_target() = default;

 private:
  // Frees the object's resources while weak owners still point to it.
  virtual void release_resources() {}

  mutable std::atomic<uint32_t> refcount_{0};
  mutable std::atomic<uint32_t> weakcount_{0};

  template <typename T>
  friend class intrusive_ptr;
  template <typename T>
  friend class weak_intrusive_ptr;
  friend struct intrusive_access;
};

// The raw counting operations, for code that stores owners elsewhere (a PyObject, a void*).
struct intrusive_access {
  static void incref(const intrusive_ptr_target* p) {
    p->refcount_.fetch_add(1, std::memory_order_relaxed);
  }
  static void decref(intrusive_ptr_target* p) {
    // A sole owner needs no atomic read-modify-write if nobody can turn a weak count into a strong
    // one.
    if (p->refcount_.load(std::memory_order_acquire) == 1 &&
        p->weakcount_.load(std::memory_order_acquire) == 1) {
      p->refcount_.store(0, std::memory_order_relaxed);
      delete p;
    } else if (p->refcount_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      last_strong_owner_left(p);
    }
  }
  static void weak_incref(const intrusive_ptr_target* p) {
    p->weakcount_.fetch_add(1, std::memory_order_relaxed);
  }
  static void weak_decref(intrusive_ptr_target* p) {
    if (p->weakcount_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete p;
  }
  static void adopt(intrusive_ptr_target* p) {
    p->refcount_.store(1, std::memory_order_relaxed);
    p->weakcount_.store(1, std::memory_order_relaxed);
  }
  // Acquires a strong count if there is still a strong owner.
  static bool lock(const intrusive_ptr_target* p) {
    uint32_t n = p->refcount_.load(std::memory_order_relaxed);
    while (n != 0) {
      if (p->refcount_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

 private:
  static void last_strong_owner_left(intrusive_ptr_target* p) {
    if (p->weakcount_.load(std::memory_order_acquire) != 1) p->release_resources();
    weak_decref(p);
  }
};

template <typename T>
class intrusive_ptr final {
 public:
  using element_type = T;

  intrusive_ptr() noexcept = default;
  intrusive_ptr(std::nullptr_t) noexcept {}
  intrusive_ptr(const intrusive_ptr& o) noexcept : p_(o.p_) { retain(); }
  intrusive_ptr(intrusive_ptr&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  template <typename U>
  intrusive_ptr(const intrusive_ptr<U>& o) noexcept : p_(o.get()) {
    retain();
  }
  template <typename U>
  intrusive_ptr(intrusive_ptr<U>&& o) noexcept : p_(o.release()) {}
  ~intrusive_ptr() { reset(); }

  intrusive_ptr& operator=(const intrusive_ptr& o) noexcept {
    intrusive_ptr copy(o);
    swap(copy);
    return *this;
  }
  intrusive_ptr& operator=(intrusive_ptr&& o) noexcept {
    intrusive_ptr taken(std::move(o));
    swap(taken);
    return *this;
  }

  template <typename... A>
  static intrusive_ptr make(A&&... a) {
    T* p = new T(std::forward<A>(a)...);
    intrusive_access::adopt(p);
    return reclaim(p);
  }
  // Takes over a strong count that release() returned.
  static intrusive_ptr reclaim(T* p) noexcept {
    intrusive_ptr r;
    r.p_ = p;
    return r;
  }
  static intrusive_ptr reclaim_copy(T* p) noexcept {
    if (p) intrusive_access::incref(p);
    return reclaim(p);
  }

  T* get() const noexcept { return p_; }
  T& operator*() const noexcept { return *p_; }
  T* operator->() const noexcept { return p_; }
  explicit operator bool() const noexcept { return p_ != nullptr; }
  bool defined() const noexcept { return p_ != nullptr; }
  uint32_t use_count() const noexcept { return p_ ? p_->use_count() : 0; }
  bool unique() const noexcept { return use_count() == 1; }
  T* release() noexcept { return std::exchange(p_, nullptr); }
  void reset() noexcept {
    if (T* p = release()) intrusive_access::decref(p);
  }
  void swap(intrusive_ptr& o) noexcept { std::swap(p_, o.p_); }

  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ == b.p_; }
  friend bool operator!=(const intrusive_ptr& a, const intrusive_ptr& b) { return a.p_ != b.p_; }

 private:
  void retain() {
    if (p_) intrusive_access::incref(p_);
  }
  T* p_ = nullptr;
};

template <typename T, typename... A>
intrusive_ptr<T> make_intrusive(A&&... a) {
  return intrusive_ptr<T>::make(std::forward<A>(a)...);
}

template <typename T>
class weak_intrusive_ptr final {
 public:
  weak_intrusive_ptr() noexcept = default;
  explicit weak_intrusive_ptr(const intrusive_ptr<T>& strong) noexcept : p_(strong.get()) {
    if (p_) intrusive_access::weak_incref(p_);
  }
  weak_intrusive_ptr(const weak_intrusive_ptr& o) noexcept : p_(o.p_) {
    if (p_) intrusive_access::weak_incref(p_);
  }
  weak_intrusive_ptr(weak_intrusive_ptr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  weak_intrusive_ptr& operator=(weak_intrusive_ptr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~weak_intrusive_ptr() {
    if (p_) intrusive_access::weak_decref(p_);
  }

  intrusive_ptr<T> lock() const noexcept {
    if (p_ && intrusive_access::lock(p_)) return intrusive_ptr<T>::reclaim(p_);
    return {};
  }
  bool expired() const noexcept { return !p_ || p_->use_count() == 0; }
  T* unsafe_get() const noexcept { return p_; }

 private:
  T* p_ = nullptr;
};

}  // namespace c10
