// Arrays of ours for others by DLPack: the capsules of `__dlpack__`, and its options.
#pragma once

#include "arrays.h"
#include "dlpack_abi.h"

namespace hologram::python {

// Both forms of an export, which keeps its owner.
struct DlExport {
  DlManagedTensorVersioned versioned;
  DlManagedTensor plain;
  PyObject* owner;
  int64_t strides[HOLOGRAM_MAX_RANK];  // for tensors whose owner has none
};

// Options of `__dlpack__`.
struct DlOptions {
  PyObject* stream = Py_None;
  bool versioned = false;
  bool has_device = false;
  DlDevice device{};  // that was asked for, if one was
  bool copy = false;
};
// False: a Python error is set.
bool ReadDlOptions(PyObject* arguments, PyObject* keywords, DlOptions& options);

// An export of the tensor, whose extents are in the owner; null: a Python error is set. Its
// `versioned` is released by the one that gets it.
DlExport* NewDlExport(PyObject* owner, const DlTensor& tensor, uint64_t flags);
// The capsule of one, which is released with it; null: a Python error is set, and it is gone.
PyObject* DlCapsule(DlExport* exported, bool versioned);

}  // namespace hologram::python
