// The part of the C interface of tvm-ffi (github.com/apache/tvm-ffi) that a library of functions
// meets; the names are ours. tests/scale/tvm_ffi_abi.cc compares it with the header of the package.
#pragma once

#include <cstdint>

#include "isa/dlpack.h"

namespace hologram::tvmffi {

// Of values, and of the objects that they point to.
enum TypeIndex : int32_t {
  kNone = 0,
  kInt = 1,
  kBool = 2,
  kFloat = 3,
  kPointer = 4,
  kDataType = 5,
  kDevice = 6,
  kTensorView = 7,  // a DlTensor of the caller
  kRawText = 8,
  kByteArray = 9,
  kSmallText = 11,
  kSmallBytes = 12,
  kText = 65,
  kBytes = 66,
  kFunction = 68,
  kShape = 69,
  kTensor = 70,  // a TensorObject
  kArray = 71,
  kMap = 72,
  kModule = 73,
  kPythonObject = 74,
  kList = 75,
  kDict = 76,
  kBigInt = 78,  // a BigIntObject
};

struct Object {
  uint64_t references;
  int32_t type_index;
  uint32_t padding;
  void (*destroy)(void* self, int flags);
};
struct TensorObject {
  Object header;
  isa::DlTensor tensor;
};
// An integer beyond int64_t: `size` words of 64 bits, the lowest first; the highest has the sign.
struct BigIntObject {
  Object header;
  uint64_t size;
  uint64_t words[];
};

// An argument or a result.
struct Any {
  int32_t type_index;
  uint32_t small_size;  // of texts that are in `value`; else 0
  union Value {
    int64_t integer;
    double real;
    const void* pointer;
  } value;
};

// The type of a symbol __tvm_ffi_NAME. Not 0: an error was raised.
using Function = int (*)(void* self, const Any* arguments, int32_t count, Any* result);
inline constexpr char kFunctionPrefix[] = "__tvm_ffi_";

// Of libtvm_ffi: raises an error of a kind that Python knows, "ValueError".
using RaiseFunction = void (*)(const char* kind, const char* message);
inline constexpr char kRaiseFunction[] = "TVMFFIErrorSetRaisedFromCStr";
inline constexpr char kFfiLibrary[] = "libtvm_ffi.so";

}  // namespace hologram::tvmffi
