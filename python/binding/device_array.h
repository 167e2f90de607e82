// hologram._native.DeviceArray: memory on a device with a type and a shape (hologram/device.h),
// which kernels take as an array. hologram.ops.resident has the class that users see. Tested by
// tests/device/resident_test.py.
#pragma once

#include "arrays.h"

namespace hologram::python {

// The type; nullptr with a Python error set if it cannot be made. Called once.
PyObject* MakeDeviceArrayType();
bool IsDeviceArray(PyObject* object);

// As ReadArray does for memory of the host; the code of `view` has HOLOGRAM_ARGUMENT_DEVICE. The
// memory stays where it is as long as the object is there. REQUIRES: IsDeviceArray
void ReadDeviceArray(PyObject* object, ArrayView& view, hologram_array_shape* shape);

}  // namespace hologram::python
