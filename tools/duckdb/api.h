// DuckDB's C extension interface, version 1.2.0: what an extension is given when it is loaded. No
// header of DuckDB is needed. Tested by tests/scale/duckdb_extension_test.py in a real DuckDB.
#pragma once

#include <cstdint>

namespace hologram::duckdb {

inline constexpr const char* kApiVersion = "v1.2.0";

using Handle = void*;  // to something of DuckDB
using Count = uint64_t;
using Destroy = void (*)(void*);
using RunScalar = void (*)(Handle call, Handle input, Handle output);
using RunTable = void (*)(Handle call, Handle output);

enum class State : int32_t { kSuccess = 0, kError = 1 };

// The result of a query, which is passed by value.
struct QueryResult {
  uint64_t deprecated[3];
  void* deprecated_columns;
  char* deprecated_error;
  void* internal;
};

// A string in a vector: its bytes are in place if there are at most kInlined of them.
struct String {
  static constexpr uint32_t kInlined = 12;
  uint32_t length;
  char prefix[4];
  char* pointer;
};

// Numbers of types.
enum Type : uint32_t {
  kBoolean = 1,
  kTinyint = 2,
  kSmallint = 3,
  kInteger = 4,
  kBigint = 5,
  kUtinyint = 6,
  kUsmallint = 7,
  kUinteger = 8,
  kUbigint = 9,
  kFloat = 10,
  kDouble = 11,
  kVarchar = 17
};

// The second argument of the entry function; `load` is the first.
struct Access {
  void (*set_error)(Handle load, const char* message);
  Handle* (*get_database)(Handle load);
  const void* (*get_api)(Handle load, const char* version);
};

struct Api {
#define FUNCTION(slot, result, name, ...) result (*name)(__VA_ARGS__);
#include "functions.def"
#undef FUNCTION
};

// Of the DuckDB that has loaded the extension.
extern Api api;

// Reads the table that get_api has given.
Api ReadApi(const void* table);

}  // namespace hologram::duckdb
