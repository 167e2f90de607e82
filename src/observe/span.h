// Spans of a trace: what a thread did, from when to when, with named facts, never with data of
// arrays. A thread writes its own spans into memory of its own (observe/rings.h), without a lock.
// Without a trace, a span costs a load and a branch. Tested by tests/observe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "observe/clock.h"

namespace hologram::observe {

// Written by observe/trace.cc alone.
extern std::atomic<bool> is_tracing;

inline bool Tracing() {
  return is_tracing.load(std::memory_order_relaxed);
}

// A span as it is put together: its name, then arguments.
class SpanRecord {
 public:
  static constexpr size_t kMostBytes = 768;
  static constexpr size_t kMostText = 200;  // longer names and values are cut

  enum Kind : uint8_t { kNumber, kText, kCounts };

  // REQUIRES: before any argument.
  void Begin(std::string_view category, std::string_view name) {
    size_ = 0;
    PutText(category);
    PutText(name);
  }
  // Left out where it does not fit.
  void Number(std::string_view key, uint64_t value) {
    if (!Argument(kNumber, key, sizeof(value))) return;
    Put(&value, sizeof(value));
  }
  void Text(std::string_view key, std::string_view value) {
    value = Cut(value);
    if (!Argument(kText, key, value.size() + 1)) return;
    PutText(value);
  }
  // Three of them, "4,1,1".
  void Counts(std::string_view key, const uint32_t (&counts)[3]) {
    if (!Argument(kCounts, key, sizeof(counts))) return;
    Put(counts, sizeof(counts));
  }
  const char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  static std::string_view Cut(std::string_view text) {
    return {text.data(), text.size() < kMostText ? text.size() : kMostText};
  }
  bool Argument(Kind kind, std::string_view key, size_t size) {
    key = Cut(key);
    if (size_ + 2 + key.size() + size > kMostBytes) return false;
    bytes_[size_++] = static_cast<char>(kind);
    PutText(key);
    return true;
  }
  void PutText(std::string_view text) {
    text = Cut(text);
    bytes_[size_++] = static_cast<char>(text.size());
    PutBytes(bytes_ + size_, text.data(), text.size());
    size_ += text.size();
  }
  // Not std::memcpy: a call that checks the size, as hardening makes of it, costs more than the
  // copy of a key, and its callers have checked it.
  void Put(const void* data, size_t size) {
    __builtin_memcpy(bytes_ + size_, data, size);
    size_ += size;
  }
  // Of a text, most of which are short: two words that overlap take less than a call.
  static void PutBytes(char* to, const char* from, size_t size) {
    if (size >= 16) {
      __builtin_memcpy(to, from, size);
    } else if (size >= 8) {
      PutEnds<uint64_t>(to, from, size);
    } else if (size >= 4) {
      PutEnds<uint32_t>(to, from, size);
    } else if (size >= 2) {
      PutEnds<uint16_t>(to, from, size);
    } else if (size == 1) {
      *to = *from;
    }
  }
  template <class Word>
  static void PutEnds(char* to, const char* from, size_t size) {
    Word first;
    Word last;
    __builtin_memcpy(&first, from, sizeof(Word));
    __builtin_memcpy(&last, from + size - sizeof(Word), sizeof(Word));
    __builtin_memcpy(to, &first, sizeof(Word));
    __builtin_memcpy(to + size - sizeof(Word), &last, sizeof(Word));
  }

  size_t size_ = 0;
  char bytes_[kMostBytes];
};

// Hands a span of this thread to the trace that runs; nothing if there is none, or if it began
// after the span did. Times of Ticks().
void Write(const SpanRecord& record, uint64_t begun, uint64_t ended);
// The place in the source that the next launch of this thread is called from.
void SetCaller(std::string_view file, uint32_t line);
// Adds it to a span, once.
void TakeCaller(SpanRecord& record);

// A span from here to the end of the scope.
class Span {
 public:
  Span(std::string_view category, std::string_view name) {
    if (Tracing()) [[unlikely]] {
      begun_ = Ticks();
      record_.Begin(category, name);
    }
  }
  ~Span() {
    if (on()) [[unlikely]] {
      Write(record_, begun_, Ticks());
    }
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  bool on() const { return begun_ != 0; }
  void Number(std::string_view key, uint64_t value) {
    if (on()) record_.Number(key, value);
  }
  void Text(std::string_view key, std::string_view value) {
    if (on()) record_.Text(key, value);
  }

 private:
  uint64_t begun_ = 0;
  SpanRecord record_;
};

}  // namespace hologram::observe
