#include "load_bundle.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "column_function.h"
#include "handles.h"
#include "scalar_function.h"

namespace hologram::duckdb {
namespace {

constexpr const char* kName = "hologram_load";

// ---- A bundle

struct Row {
  std::string kernel;
  std::string function;  // empty: it is none
  std::string engine;
  std::string note;
};

struct Request {
  std::string path;
  std::optional<std::string> hash;
  Nulls nulls = Nulls::kThrough;
  bool more = false;
};

struct Loaded {
  std::vector<Row> rows;
  std::vector<std::unique_ptr<ColumnFunction>> functions;
  std::string error;  // empty: none
  size_t next = 0;    // row to give out
};

// False, with the error set.
bool Succeeded(hologram_error* raw, std::string& error) {
  const Error owned(raw, hologram_error_destroy);
  if (owned == nullptr) return true;
  error = Plain(hologram_error_text(owned.get()));
  return false;
}

void AddKernel(hologram_executor* executor, const char* name, Nulls nulls, Loaded& loaded) {
  Row row{Plain(name), "", "", ""};
  hologram_kernel* found = nullptr;
  if (!Succeeded(hologram_executor_kernel(executor, name, &found), loaded.error)) return;
  std::string why_not;
  auto function = ColumnFunction::Make({found, hologram_kernel_destroy}, nulls, why_not);
  if (function != nullptr && !IsIdentifier(function->name())) {
    why_not = "its name is not an identifier";
  } else if (function != nullptr) {
    row.function = function->Text();
    row.engine = function->engine();
    why_not = function->note();
    loaded.functions.push_back(std::move(function));
  }
  row.note = Plain(why_not.c_str());
  loaded.rows.push_back(std::move(row));
}

// Reads the bundle, and which of its kernels are functions.
void Read(const Request& request, Loaded& loaded) {
  hologram_executor* raw = nullptr;
  if (!Succeeded(hologram_executor_create_private(&raw), loaded.error)) return;
  const std::unique_ptr<hologram_executor, decltype(&hologram_executor_destroy)> executor(
      raw, hologram_executor_destroy);
  const char* const hash = request.hash ? request.hash->c_str() : nullptr;
  // DuckDB's threads call, each for a vector of its own.
  if (!Succeeded(hologram_executor_set_threads(raw, 1), loaded.error)) return;
  if (!Succeeded(hologram_executor_load_file(raw, request.path.c_str(), hash), loaded.error))
    return;
  hologram_listing* listed = nullptr;
  if (!Succeeded(hologram_executor_list(raw, &listed), loaded.error)) return;
  const std::unique_ptr<hologram_listing, decltype(&hologram_listing_destroy)> listing(
      listed, hologram_listing_destroy);
  for (size_t k = 0; k < hologram_listing_num_kernels(listed); ++k) {
    AddKernel(raw, hologram_listing_kernel(listed, k)->name, request.nulls, loaded);
    if (!loaded.error.empty()) return;
  }
  if (!loaded.functions.empty()) return;
  loaded.error = Plain(request.path.c_str()) + ": no kernel is a function of columns";
  if (!loaded.rows.empty()) {
    loaded.error += "; '" + loaded.rows[0].kernel + "': " + loaded.rows[0].note;
  }
}

// ---- The connection

class Loader {
 public:
  explicit Loader(Handle connection) : connection_(connection) {}
  ~Loader() { Close(); }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  void Load(const Request& request, Loaded& loaded) {
    Read(request, loaded);
    if (!loaded.error.empty()) return;
    const std::lock_guard lock(mutex_);
    if (connection_ == nullptr) {
      loaded.error =
          "hologram_load was called in this database, and ended it; all calls but the last need "
          "more := true";
      return;
    }
    loaded.error = Register(loaded);
    if (loaded.error.empty() && !request.more) Close();
  }

 private:
  void Close() {
    if (connection_ != nullptr) api.disconnect(&connection_);
    connection_ = nullptr;
  }

  // All functions, or none and the error.
  std::string Register(Loaded& loaded) {
    std::string error = Query("BEGIN TRANSACTION");
    if (!error.empty()) return error;
    error = CheckAccess();
    if (error.empty()) error = CheckNames(loaded);
    for (auto& function : loaded.functions) {
      if (!error.empty()) break;
      const std::string name = function->name();
      if (!RegisterFunction(connection_, std::move(function))) {
        error = "DuckDB did not take the function '" + name + "'";
      }
    }
    if (error.empty()) error = Query("COMMIT");
    if (!error.empty()) Query("ROLLBACK");
    return error;
  }

  std::string CheckAccess() {
    std::string value;
    std::string error = Query("SELECT current_setting('enable_external_access')::VARCHAR", &value);
    if (error.empty() && value != "true") {
      error = "hologram_load reads a file, which enable_external_access = false forbids";
    }
    return error;
  }

  // Of functions, and of words with which the grammar makes calls: coalesce.
  std::string CheckNames(const Loaded& loaded) {
    std::string names;
    std::set<std::string> lower;
    for (const auto& function : loaded.functions) {
      std::string name = function->name();
      for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      if (!lower.insert(name).second) {
        return "two kernels are called '" + name + "' in SQL, where case makes no difference";
      }
      names += (names.empty() ? "'" : ", '") + name + "'";
    }
    std::string taken;
    std::string error = Query(
        "SELECT min(name) FROM (SELECT lower(function_name) AS name FROM duckdb_functions() UNION "
        "ALL SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved') "
        "WHERE name IN (" +
            names + ")",
        &taken);
    if (error.empty() && !taken.empty()) {
      error = "DuckDB has '" + Plain(taken.c_str()) + "' already; no function was made";
    }
    return error;
  }

  // The error, or empty; `value` is the text in the first row, if it is not NULL.
  std::string Query(const std::string& sql, std::string* value = nullptr) {
    QueryResult result{};
    std::string error;
    if (api.query(connection_, sql.c_str(), &result) != State::kSuccess) {
      const char* text = api.result_error(&result);
      error = text == nullptr ? "a query failed" : Plain(text);
    } else if (value != nullptr) {
      ReadFirst(result, *value);
    }
    api.destroy_result(&result);
    return error;
  }

  static void ReadFirst(const QueryResult& result, std::string& value) {
    const Owned chunk(api.fetch_chunk(result), api.destroy_data_chunk);
    if (chunk.get() == nullptr || api.data_chunk_get_size(chunk.get()) == 0) return;
    const Handle vector = api.data_chunk_get_vector(chunk.get(), 0);
    const uint64_t* valid = api.vector_get_validity(vector);
    if (valid != nullptr && (valid[0] & 1) == 0) return;
    const auto* text = static_cast<const String*>(api.vector_get_data(vector));
    const bool in_place = text->length <= String::kInlined;
    value.assign(in_place ? text->prefix : text->pointer, text->length);
  }

  std::mutex mutex_;
  Handle connection_;
};

// ---- The table function

constexpr const char* kColumns[] = {"kernel", "function", "engine", "note"};

// False: it is NULL.
bool ReadText(Handle value, std::string& text) {
  if (value == nullptr || api.is_null_value(value)) return false;
  char* const found = api.get_varchar(value);
  if (found == nullptr) return false;
  text = found;
  api.free(found);
  return true;
}

// Empty, or an error.
std::string ReadArguments(Handle bind, Request& request) {
  const Owned path(api.bind_get_parameter(bind, 0), api.destroy_value);
  if (!ReadText(path.get(), request.path)) return std::string(kName) + ": the path is NULL";
  const Owned hash(api.bind_get_parameter(bind, 1), api.destroy_value);
  if (!ReadText(hash.get(), request.hash.emplace())) request.hash.reset();
  const Owned more(api.bind_get_named_parameter(bind, "more"), api.destroy_value);
  request.more =
      more.get() != nullptr && !api.is_null_value(more.get()) && api.get_bool(more.get());
  const Owned nulls(api.bind_get_named_parameter(bind, "nulls"), api.destroy_value);
  if (nulls.get() == nullptr) return "";
  std::string text;
  ReadText(nulls.get(), text);
  constexpr const char* kModes[] = {"through", "refuse", "pass"};
  for (size_t k = 0; k < std::size(kModes); ++k) {
    if (text == kModes[k]) {
      request.nulls = static_cast<Nulls>(k);
      return "";
    }
  }
  return std::string(kName) + ": nulls expects one of through, refuse, pass, found " + Shown(text);
}

void Bind(Handle bind) try {
  for (const char* name : kColumns) {
    const Owned text(api.create_logical_type(kVarchar), api.destroy_logical_type);
    api.bind_add_result_column(bind, name, text.get());
  }
  auto request = std::make_unique<Request>();
  if (const std::string error = ReadArguments(bind, *request); !error.empty()) {
    return api.bind_set_error(bind, error.c_str());
  }
  api.bind_set_bind_data(bind, request.release(), Delete<Request>);
} catch (const std::exception&) {
  api.bind_set_error(bind, "hologram: no memory");
}

// Once for each time that the call is executed, which binding is not.
void Init(Handle init) try {
  const auto& request = *static_cast<const Request*>(api.init_get_bind_data(init));
  auto& loader = *static_cast<Loader*>(api.init_get_extra_info(init));
  auto loaded = std::make_unique<Loaded>();
  loader.Load(request, *loaded);
  if (!loaded->error.empty()) return api.init_set_error(init, loaded->error.c_str());
  api.init_set_init_data(init, loaded.release(), Delete<Loaded>);
} catch (const std::exception&) {
  api.init_set_error(init, "hologram: no memory");
}

void SetText(Handle vector, Count row, const std::string& text) {
  if (!text.empty()) return api.vector_assign_string_element(vector, row, text.c_str());
  api.vector_ensure_validity_writable(vector);
  api.validity_set_row_invalid(api.vector_get_validity(vector), row);
}

void GiveRows(Handle call, Handle output) {
  auto& loaded = *static_cast<Loaded*>(api.function_get_init_data(call));
  const Count rows = std::min<Count>(loaded.rows.size() - loaded.next, api.vector_size());
  for (Count k = 0; k < rows; ++k) {
    const Row& row = loaded.rows[loaded.next + k];
    const std::string* texts[] = {&row.kernel, &row.function, &row.engine, &row.note};
    for (Count column = 0; column < std::size(texts); ++column) {
      SetText(api.data_chunk_get_vector(output, column), k, *texts[column]);
    }
  }
  loaded.next += rows;
  api.data_chunk_set_size(output, rows);
}

}  // namespace

bool RegisterLoad(Handle connection) {
  auto loader = std::make_unique<Loader>(connection);
  const Owned made(api.create_table_function(), api.destroy_table_function);
  const Owned text(api.create_logical_type(kVarchar), api.destroy_logical_type);
  const Owned boolean(api.create_logical_type(kBoolean), api.destroy_logical_type);
  api.table_function_set_name(made.get(), kName);
  for (int k = 0; k < 2; ++k) api.table_function_add_parameter(made.get(), text.get());
  api.table_function_add_named_parameter(made.get(), "nulls", text.get());
  api.table_function_add_named_parameter(made.get(), "more", boolean.get());
  api.table_function_set_extra_info(made.get(), loader.release(), Delete<Loader>);
  api.table_function_set_bind(made.get(), Bind);
  api.table_function_set_init(made.get(), Init);
  api.table_function_set_function(made.get(), GiveRows);
  return api.register_table_function(connection, made.get()) == State::kSuccess;
}

}  // namespace hologram::duckdb
