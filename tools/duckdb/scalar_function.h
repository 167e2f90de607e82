// A function of columns as a function of SQL.
#pragma once

#include <memory>

#include "api.h"
#include "column_function.h"

namespace hologram::duckdb {

// False: DuckDB did not take it. One of that name and these types is replaced.
bool RegisterFunction(Handle connection, std::unique_ptr<ColumnFunction> kept);

}  // namespace hologram::duckdb
