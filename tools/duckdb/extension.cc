// The entry of the extension, which DuckDB finds by its name: that of the file, hologram.
#include <cstring>
#include <exception>
#include <mutex>

#include "api.h"
#include "load_bundle.h"

namespace hologram::duckdb {

Api api;

Api ReadApi(const void* table) {
  using Slot = void (*)();
  const auto* slots = static_cast<const Slot*>(table);
  Api made;
#define FUNCTION(slot, result, name, ...) \
  made.name = reinterpret_cast<result (*)(__VA_ARGS__)>(slots[slot]);
#include "functions.def"
#undef FUNCTION
  return made;
}

namespace {

// The functions of one DuckDB; null, or why the extension cannot be loaded.
const char* UseApi(const void* table) {
  static std::mutex mutex;
  static bool is_set = false;
  const std::lock_guard lock(mutex);
  const Api read = ReadApi(table);
  if (!is_set) {
    api = read;
    is_set = true;
  }
  return api.connect == read.connect ? nullptr
                                     : "hologram: another DuckDB in this process has loaded it";
}

}  // namespace
}  // namespace hologram::duckdb

extern "C" __attribute__((visibility("default"))) bool hologram_init_c_api(
    hologram::duckdb::Handle load, hologram::duckdb::Access* access) {
  using hologram::duckdb::Handle;
  const void* const table = access->get_api(load, hologram::duckdb::kApiVersion);
  if (table == nullptr) return false;  // DuckDB has set the error
  const char* why_not = hologram::duckdb::UseApi(table);
  if (why_not == nullptr) {
    Handle* const database = access->get_database(load);
    if (database == nullptr) return false;
    try {
      Handle connection = nullptr;
      if (hologram::duckdb::api.connect(*database, &connection) !=
          hologram::duckdb::State::kSuccess) {
        why_not = "hologram: no connection to the database";
      } else if (!hologram::duckdb::RegisterLoad(connection)) {
        why_not = "hologram: DuckDB did not take hologram_load";
      }
    } catch (const std::exception&) {
      why_not = "hologram: no memory";
    }
  }
  if (why_not != nullptr) access->set_error(load, why_not);
  return why_not == nullptr;
}
