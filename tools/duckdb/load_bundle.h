// `CALL hologram_load('app.holo', 'HASH')`: the kernels of a bundle as functions of SQL; NULL in
// place of a hash leaves its native code alone. Functions can only be made by a connection, and an
// open connection keeps the database from closing: the last call closes it, others have
// `more := true`. Tested by tests/scale/duckdb_extension_test.py.
#pragma once

#include "api.h"

namespace hologram::duckdb {

// Registers hologram_load by the connection, which it keeps until the last bundle is loaded. False:
// DuckDB did not take it, and the connection is closed.
bool RegisterLoad(Handle connection);

}  // namespace hologram::duckdb
