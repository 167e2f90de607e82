// src/tvmffi/abi.h and src/isa/dlpack.h beside the headers of tvm-ffi, whose folder the compiler is
// given: tvm_ffi_test.py compiles this, and that is the test.
#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <type_traits>

#include "isa/dlpack.h"
#include "tvmffi/abi.h"

namespace hologram::tvmffi {

#define SAME_PLACE(ours, our_field, theirs, their_field)                      \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                sizeof(ours::our_field) == sizeof(theirs::their_field))

static_assert(sizeof(Any) == sizeof(TVMFFIAny));
SAME_PLACE(Any, type_index, TVMFFIAny, type_index);
SAME_PLACE(Any, small_size, TVMFFIAny, zero_padding);
SAME_PLACE(Any, value.integer, TVMFFIAny, v_int64);
SAME_PLACE(Any, value.real, TVMFFIAny, v_float64);
SAME_PLACE(Any, value.pointer, TVMFFIAny, v_obj);

static_assert(sizeof(Object) == sizeof(TVMFFIObject));
SAME_PLACE(Object, references, TVMFFIObject, combined_ref_count);
SAME_PLACE(Object, type_index, TVMFFIObject, type_index);
SAME_PLACE(Object, destroy, TVMFFIObject, deleter);
static_assert(offsetof(TensorObject, tensor) == sizeof(TVMFFIObject));
static_assert(offsetof(BigIntObject, size) == sizeof(TVMFFIObject));

static_assert(sizeof(isa::DlTensor) == sizeof(DLTensor));
SAME_PLACE(isa::DlTensor, data, DLTensor, data);
SAME_PLACE(isa::DlTensor, device.type, DLTensor, device.device_type);
SAME_PLACE(isa::DlTensor, device.id, DLTensor, device.device_id);
SAME_PLACE(isa::DlTensor, rank, DLTensor, ndim);
SAME_PLACE(isa::DlTensor, type.code, DLTensor, dtype.code);
SAME_PLACE(isa::DlTensor, type.bits, DLTensor, dtype.bits);
SAME_PLACE(isa::DlTensor, type.lanes, DLTensor, dtype.lanes);
SAME_PLACE(isa::DlTensor, shape, DLTensor, shape);
SAME_PLACE(isa::DlTensor, strides, DLTensor, strides);
SAME_PLACE(isa::DlTensor, byte_offset, DLTensor, byte_offset);
static_assert(isa::kDlCpu == kDLCPU && isa::kDlCudaHost == kDLCUDAHost);
static_assert(isa::kDlBool == kDLBool);
static_assert(isa::TypeOfDlpack({kDLInt, 8, 1}) == isa::Type::kI8);
static_assert(isa::TypeOfDlpack({kDLInt, 64, 1}) == isa::Type::kI64);
static_assert(isa::TypeOfDlpack({kDLUInt, 16, 1}) == isa::Type::kU16);
static_assert(isa::TypeOfDlpack({kDLFloat, 16, 1}) == isa::Type::kF16);
static_assert(isa::TypeOfDlpack({kDLFloat, 64, 1}) == isa::Type::kF64);
static_assert(isa::TypeOfDlpack({kDLBfloat, 16, 1}) == isa::Type::kBF16);
static_assert(isa::TypeOfDlpack({kDLBool, 8, 1}) == isa::Type::kU8);
static_assert(!isa::TypeOfDlpack({kDLComplex, 64, 1}));

static_assert(kNone == static_cast<int>(kTVMFFINone));
static_assert(kInt == static_cast<int>(kTVMFFIInt));
static_assert(kBool == static_cast<int>(kTVMFFIBool));
static_assert(kFloat == static_cast<int>(kTVMFFIFloat));
static_assert(kPointer == static_cast<int>(kTVMFFIOpaquePtr));
static_assert(kDataType == static_cast<int>(kTVMFFIDataType));
static_assert(kDevice == static_cast<int>(kTVMFFIDevice));
static_assert(kTensorView == static_cast<int>(kTVMFFIDLTensorPtr));
static_assert(kRawText == static_cast<int>(kTVMFFIRawStr));
static_assert(kByteArray == static_cast<int>(kTVMFFIByteArrayPtr));
static_assert(kSmallText == static_cast<int>(kTVMFFISmallStr));
static_assert(kSmallBytes == static_cast<int>(kTVMFFISmallBytes));
static_assert(kText == static_cast<int>(kTVMFFIStr));
static_assert(kBytes == static_cast<int>(kTVMFFIBytes));
static_assert(kFunction == static_cast<int>(kTVMFFIFunction));
static_assert(kShape == static_cast<int>(kTVMFFIShape));
static_assert(kTensor == static_cast<int>(kTVMFFITensor));
static_assert(kArray == static_cast<int>(kTVMFFIArray));
static_assert(kMap == static_cast<int>(kTVMFFIMap));
static_assert(kModule == static_cast<int>(kTVMFFIModule));
static_assert(kPythonObject == static_cast<int>(kTVMFFIOpaquePyObject));
static_assert(kList == static_cast<int>(kTVMFFIList));
static_assert(kDict == static_cast<int>(kTVMFFIDict));
static_assert(kBigInt == static_cast<int>(kTVMFFIBigInt));

static_assert(
    std::is_same_v<int (*)(void*, const TVMFFIAny*, int32_t, TVMFFIAny*), TVMFFISafeCallType>);
static_assert(std::is_same_v<RaiseFunction, decltype(&TVMFFIErrorSetRaisedFromCStr)>);

}  // namespace hologram::tvmffi
