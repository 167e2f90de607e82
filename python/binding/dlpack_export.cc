#include "dlpack_export.h"

#include <new>

namespace hologram::python {
namespace {

// May be called from any thread, also when the interpreter is gone.
void Release(DlExport* exported) {
  if (Py_IsInitialized() != 0) {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(exported->owner);
    PyGILState_Release(state);
  }
  delete exported;
}

// Of a capsule that was not consumed: its name is still the one that it was made with.
template <class Managed>
void DropCapsule(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->release(managed);
}

}  // namespace

bool ReadDlOptions(PyObject* arguments, PyObject* keywords, DlOptions& options) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* version = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO", const_cast<char**>(names),
                                  &options.stream, &version, &device, &copy) == 0) {
    return false;
  }
  options.has_device = device != Py_None;
  if (options.has_device &&
      (PyTuple_Check(device) == 0 ||
       PyArg_ParseTuple(device, "ii", &options.device.type, &options.device.id) == 0)) {
    PyErr_Format(PyExc_TypeError, "dl_device: expected two numbers, found %R", device);
    return false;
  }
  unsigned int major = 0;
  unsigned int minor = 0;
  if (version != Py_None &&
      (PyTuple_Check(version) == 0 || PyArg_ParseTuple(version, "II", &major, &minor) == 0)) {
    PyErr_Format(PyExc_TypeError, "max_version: expected two numbers, found %R", version);
    return false;
  }
  options.versioned = major >= kDlMajor;
  const int copies = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  options.copy = copies > 0;
  return copies >= 0;
}

DlExport* NewDlExport(PyObject* owner, const DlTensor& tensor, uint64_t flags) {
  auto* exported = new (std::nothrow) DlExport{};
  if (exported == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  exported->owner = Py_NewRef(owner);
  DlManagedTensorVersioned& versioned = exported->versioned;
  versioned.version = {kDlMajor, kDlMinor};
  versioned.context = exported;
  versioned.release = [](DlManagedTensorVersioned* managed) {
    Release(static_cast<DlExport*>(managed->context));
  };
  versioned.flags = flags;
  versioned.tensor = tensor;
  if (tensor.strides == nullptr) {
    int64_t step = 1;
    for (int32_t d = tensor.rank; d-- > 0; step *= tensor.shape[d]) exported->strides[d] = step;
    versioned.tensor.strides = exported->strides;
  }
  exported->plain.context = exported;
  exported->plain.release = [](DlManagedTensor* managed) {
    Release(static_cast<DlExport*>(managed->context));
  };
  exported->plain.tensor = versioned.tensor;
  return exported;
}

PyObject* DlCapsule(DlExport* exported, bool versioned) {
  PyObject* capsule = versioned ? PyCapsule_New(&exported->versioned, "dltensor_versioned",
                                                [](PyObject* object) {
                                                  DropCapsule<DlManagedTensorVersioned>(
                                                      object, "dltensor_versioned");
                                                })
                                : PyCapsule_New(&exported->plain, "dltensor", [](PyObject* object) {
                                    DropCapsule<DlManagedTensor>(object, "dltensor");
                                  });
  if (capsule == nullptr) Release(exported);
  return capsule;
}

}  // namespace hologram::python
