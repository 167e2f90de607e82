// Shared by the callbacks of DuckDB: handles, objects that DuckDB destroys, texts.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "api.h"
#include "base/quote.h"

namespace hologram::duckdb {

// DuckDB's functions take what they destroy by a pointer to the handle.
class Owned {
 public:
  Owned(Handle handle, void (*destroy)(Handle*)) : handle_(handle), destroy_(destroy) {}
  ~Owned() {
    if (handle_ != nullptr) destroy_(&handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle get() const { return handle_; }

 private:
  Handle handle_;
  void (*destroy_)(Handle*);
};

template <class T>
void Delete(void* object) {
  delete static_cast<T*>(object);
}

// Valid UTF-8 without control characters but ends of lines, as names in a bundle may be anything.
inline std::string Plain(const char* text) {
  std::string plain;
  for (const char* line = text;;) {
    const char* end = std::strchr(line, '\n');
    plain +=
        EscapeLine(end == nullptr ? line : std::string_view(line, static_cast<size_t>(end - line)));
    if (end == nullptr) return plain;
    plain += '\n';
    line = end + 1;
  }
}

}  // namespace hologram::duckdb
