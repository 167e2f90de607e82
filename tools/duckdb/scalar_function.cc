#include "scalar_function.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "handles.h"

namespace hologram::duckdb {
namespace {

// When the process ends, kernels are gone before a database that is a variable of the program.
std::atomic<bool> ending{false};
struct Ending {
  ~Ending() { ending = true; }
} at_end;

void DeleteFunction(void* function) {
  if (!ending) delete static_cast<ColumnFunction*>(function);
}

void Run(Handle call, Handle input, Handle output) try {
  const auto& function =
      *static_cast<const ColumnFunction*>(api.scalar_function_get_extra_info(call));
  const Count rows = api.data_chunk_get_size(input);
  if (rows == 0) return;
  const size_t count = function.arguments().size();
  const std::byte* columns[HOLOGRAM_MAX_PARAMETERS];
  const uint64_t* valid[HOLOGRAM_MAX_PARAMETERS];
  for (size_t k = 0; k < count; ++k) {
    const Handle vector = api.data_chunk_get_vector(input, k);
    columns[k] = static_cast<const std::byte*>(api.vector_get_data(vector));
    valid[k] = api.vector_get_validity(vector);
  }
  std::vector<uint64_t> made_valid;
  const Error error =
      function.Run({columns, count}, {valid, count}, rows,
                   static_cast<std::byte*>(api.vector_get_data(output)), made_valid);
  if (error != nullptr) {
    api.scalar_function_set_error(call, Plain(hologram_error_text(error.get())).c_str());
    return;
  }
  if (made_valid.empty()) return;
  if (function.nulls() == Nulls::kRefuse) {
    const std::string text =
        std::string(function.name()) +
        ": an argument is NULL, and the bundle was loaded with nulls := 'refuse'";
    return api.scalar_function_set_error(call, text.c_str());
  }
  api.vector_ensure_validity_writable(output);
  std::memcpy(api.vector_get_validity(output), made_valid.data(),
              made_valid.size() * sizeof(uint64_t));
} catch (const std::exception&) {
  api.scalar_function_set_error(call, "hologram: no memory");
}

void AddType(Handle function, uint32_t type, void (*add)(Handle, Handle)) {
  const Owned logical(api.create_logical_type(type), api.destroy_logical_type);
  add(function, logical.get());
}

}  // namespace

bool RegisterFunction(Handle connection, std::unique_ptr<ColumnFunction> kept) {
  const ColumnFunction& function = *kept;
  const Owned made(api.create_scalar_function(), api.destroy_scalar_function);
  api.scalar_function_set_name(made.get(), function.name());
  for (const uint32_t type : function.arguments()) {
    AddType(made.get(), type, api.scalar_function_add_parameter);
  }
  AddType(made.get(), function.result(), api.scalar_function_set_return_type);
  // Else a NULL that is a constant would not come here.
  if (function.nulls() != Nulls::kThrough) api.scalar_function_set_special_handling(made.get());
  api.scalar_function_set_function(made.get(), Run);
  api.scalar_function_set_extra_info(made.get(), kept.release(), DeleteFunction);
  return api.register_scalar_function(connection, made.get()) == State::kSuccess;
}

}  // namespace hologram::duckdb
