// The structures of DLPack by which programs share memory: its C interface of version 1, and the
// table of functions (since 1.2) that a type offers as `__dlpack_c_exchange_api__`, a capsule. The
// specification is that of github.com/dmlc/dlpack; the names are ours.
#pragma once

#include <cstdint>

#include "isa/dlpack.h"

namespace hologram::python {

using isa::DlDevice;
using isa::DlTensor;
using isa::DlType;
using isa::IsHost;
using isa::kDlCpu;
using isa::kDlCuda;
using isa::kDlCudaManaged;

struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*release)(DlManagedTensor*);
};
struct DlVersion {
  uint32_t major;
  uint32_t minor;
};
struct DlManagedTensorVersioned {
  DlVersion version;
  void* context;
  void (*release)(DlManagedTensorVersioned*);
  uint64_t flags;
  DlTensor tensor;
};
inline constexpr uint32_t kDlMajor = 1;
inline constexpr uint32_t kDlMinor = 3;
inline constexpr uint64_t kDlReadOnly = 1;
inline constexpr uint64_t kDlCopied = 2;

// Functions give 0, or -1 with a Python error set. They are called with the lock of the interpreter
// held, but for `allocate`, which passes its error to `set_error`.
struct DlExchange {
  DlVersion version;
  const DlExchange* previous;  // of an older major version, or null
  int (*allocate)(DlTensor* prototype, DlManagedTensorVersioned** out, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message));
  int (*from_object)(void* object, DlManagedTensorVersioned** out);
  // Takes over `tensor` if it succeeds.
  int (*to_object)(DlManagedTensorVersioned* tensor, void** out);
  // May be null. The tensor that it fills in is valid while the caller has control.
  int (*view_object)(void* object, DlTensor* out);
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};
inline constexpr const char* kDlExchangeName = "dlpack_exchange_api";
inline constexpr const char* kDlExchangeAttribute = "__dlpack_c_exchange_api__";

}  // namespace hologram::python
