#include "op_object.h"

#include <structmember.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "kernel_fields.h"
#include "kernel_object.h"
#include "numpy_fields.h"
#include "scalars.h"

namespace hologram::python {
namespace {

constexpr size_t kTypes = 12;
constexpr uint32_t kMostArrays = 3;
constexpr uint32_t kMostScalars = 2;
// As for kernels: launches on more memory than this let other Python threads run.
constexpr uint64_t kReleaseBytes = 128 * 1024;

struct OpObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  uint32_t num_arrays;
  uint32_t num_scalars;
  PyObject* name;
  PyObject* doc;
  PyObject* slow;
  PyObject* fast;        // the operation for accuracy="fast", or null
  PyObject* number;      // the operation for a number as the second of two operands, or null
  PyObject* empty_like;  // numpy.empty_like, from the first kernel on
  std::array<PyObject*, kTypes> kernels;  // by element type; null: none, or not yet
};

PyTypeObject* op_type = nullptr;

OpObject* AsOp(PyObject* object) {
  return reinterpret_cast<OpObject*>(object);
}

// The memory of one call: inputs and then the output.
struct Launch {
  std::array<hologram_buffer_ref, kMostArrays + 1> buffers;
  std::array<uint64_t, kMostScalars + 1> scalars;
  uint32_t code = 0;
  uint64_t bytes = 0;
};

// False: the arrays are not of the common kind, and nothing is wrong yet.
bool ReadInputs(const OpObject* self, PyObject* const* given, Launch& launch, NumpyShape& shape) {
  for (uint32_t k = 0; k < self->num_arrays; ++k) {
    ArrayView view;
    NumpyShape other;
    if (!ReadNumpyFields(given[k], view, k == 0 ? shape : other)) return false;
    const uint32_t code = view.code & 0xf;
    if (k == 0) launch.code = code;
    if (k != 0 && (code != launch.code || !SameShape(shape, other))) return false;
    launch.buffers[k] = view.memory;
    launch.bytes += view.memory.bytes;
  }
  return shape.count != 0 && shape.count <= UINT32_MAX && self->kernels[launch.code] != nullptr;
}

bool ReadOutput(const OpObject* self, PyObject* out, Launch& launch, const NumpyShape& shape) {
  ArrayView view;
  NumpyShape other;
  if (!ReadNumpyFields(out, view, other) || (view.code & 0xf) != launch.code ||
      (view.code & kWritable) == 0 || !SameShape(shape, other)) {
    return false;
  }
  launch.buffers[self->num_arrays] = view.memory;
  launch.bytes += view.memory.bytes;
  return true;
}

// The launch through the runtime: large ones, which may use threads, and those to be refused.
hologram_error* LaunchChecked(const OpObject* self, const KernelObject* kernel,
                              const Launch& launch) {
  std::array<hologram_argument, kMostArrays + kMostScalars + 2> arguments{};
  uint32_t count = 0;
  for (uint32_t k = 0; k <= self->num_arrays; ++k) {
    arguments[count].code = launch.code | kBuffer | kWritable;
    arguments[count++].buffer = launch.buffers[k];
  }
  for (uint32_t k = 0; k <= self->num_scalars; ++k) {
    arguments[count].code = k == self->num_scalars ? uint32_t{HOLOGRAM_U32} : launch.code;
    arguments[count++].scalar = launch.scalars[k];
  }
  return hologram_kernel_launch(kernel->kernel, arguments.data(), count, nullptr);
}

// False: a Python error is set.
bool Run(const OpObject* self, const KernelObject* kernel, const Launch& launch) {
  hologram_launch_state state;
  int32_t outcome = 0;
  const auto enter = [&] {
    outcome = kernel->plan->entry(launch.buffers.data(), launch.scalars.data(),
                                  kernel->plan->bytes_limit, &state);
  };
  if (launch.bytes < kReleaseBytes) {
    enter();
  } else {
    Py_BEGIN_ALLOW_THREADS;
    enter();
    Py_END_ALLOW_THREADS;
  }
  if (outcome == HOLOGRAM_LAUNCH_DONE) return true;
  hologram_error* error = nullptr;
  if (outcome == HOLOGRAM_LAUNCH_FAULTED) {
    error = hologram_kernel_fault(kernel->kernel, launch.buffers.data(), launch.scalars.data(),
                                  nullptr, &state);
  } else {
    Py_BEGIN_ALLOW_THREADS;
    error = LaunchChecked(self, kernel, launch);
    Py_END_ALLOW_THREADS;
  }
  if (error == nullptr) return true;
  SetError(error);
  return false;
}

// What a call says, beside its arrays and scalars.
struct Options {
  PyObject* out = nullptr;
  bool fast = false;
};

bool Is(PyObject* text, const char* expected) {
  return PyUnicode_Check(text) != 0 && PyUnicode_CompareWithASCIIString(text, expected) == 0;
}

// op(arrays..., scalars..., out=None, accuracy="precise"); false for anything else.
bool ReadOptions(const OpObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names,
                 Options& options) {
  const Py_ssize_t fixed = self->num_arrays + self->num_scalars;
  if (count != fixed && count != fixed + 1) return false;
  if (count > fixed) options.out = given[fixed];
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GET_ITEM(names, k);
    PyObject* value = given[count + k];
    if (count == fixed && Is(name, "out")) {
      options.out = value;
    } else if (self->fast != nullptr && Is(name, "accuracy") &&
               (Is(value, "fast") || Is(value, "precise"))) {
      options.fast = Is(value, "fast");
    } else {
      return false;
    }
  }
  if (options.out == Py_None) options.out = nullptr;
  return true;
}

enum class Outcome : uint8_t { kDone, kFailed, kUncommon };

// The common call. kFailed: a Python error is set. kUncommon: nothing has happened.
Outcome CallCommon(const OpObject* self, PyObject* const* given, PyObject* out, PyObject*& result) {
  Launch launch;
  NumpyShape shape;
  if (!ReadInputs(self, given, launch, shape)) return Outcome::kUncommon;
  if (out != nullptr && !ReadOutput(self, out, launch, shape)) return Outcome::kUncommon;
  for (uint32_t k = 0; k < self->num_scalars; ++k) {
    if (!ReadScalar(given[self->num_arrays + k], launch.code, launch.scalars[k])) {
      PyErr_Clear();
      return Outcome::kUncommon;
    }
  }
  launch.scalars[self->num_scalars] = shape.count;
  if (out != nullptr) {
    result = Py_NewRef(out);
  } else {
    result = NewArrayLike(given[0], self->empty_like);
    if (result == nullptr) return Outcome::kFailed;
    if (!ReadOutput(self, result, launch, shape)) {
      Py_CLEAR(result);
      return Outcome::kUncommon;
    }
  }
  if (Run(self, AsKernel(self->kernels[launch.code]), launch)) return Outcome::kDone;
  Py_CLEAR(result);
  return Outcome::kFailed;
}

PyObject* CallOp(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  const OpObject* self = AsOp(callable);
  Options options;
  PyObject* result = nullptr;
  if (ReadOptions(self, given, PyVectorcall_NARGS(flags), names, options)) {
    const OpObject* chosen = options.fast ? AsOp(self->fast) : self;
    Outcome outcome = CallCommon(chosen, given, options.out, result);
    if (outcome == Outcome::kUncommon && self->number != nullptr &&
        (PyFloat_CheckExact(given[1]) || PyLong_CheckExact(given[1]))) {
      outcome = CallCommon(AsOp(self->number), given, options.out, result);
    }
    if (outcome != Outcome::kUncommon) return result;
  }
  return PyObject_Vectorcall(self->slow, given, flags, names);
}

// _link(fast, number): the operations for accuracy="fast" and for a number as second operand.
PyObject* Link(PyObject* object, PyObject* arguments) {
  OpObject* self = AsOp(object);
  PyObject* fast = nullptr;
  PyObject* number = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &fast, &number) == 0) return nullptr;
  for (PyObject* other : {fast, number}) {
    if (other == Py_None) continue;
    const bool is_op = Py_TYPE(other) == op_type;
    const uint32_t arrays = self->num_arrays + self->num_scalars;
    if (!is_op || AsOp(other)->num_arrays + AsOp(other)->num_scalars != arrays) {
      PyErr_SetString(PyExc_ValueError, "expected an operation with as many parameters");
      return nullptr;
    }
  }
  Py_XSETREF(self->fast, fast == Py_None ? nullptr : Py_NewRef(fast));
  Py_XSETREF(self->number, number == Py_None ? nullptr : Py_NewRef(number));
  Py_RETURN_NONE;
}

// _add_kernel(type number, kernel, numpy.empty_like)
PyObject* AddKernel(PyObject* object, PyObject* arguments) {
  OpObject* self = AsOp(object);
  unsigned int code = 0;
  PyObject* kernel = nullptr;
  PyObject* empty_like = nullptr;
  if (PyArg_ParseTuple(arguments, "IOO", &code, &kernel, &empty_like) == 0) return nullptr;
  if (code >= kTypes || !IsKernel(kernel) || AsKernel(kernel)->kernel == nullptr ||
      AsKernel(kernel)->has_config || AsKernel(kernel)->has_rank) {
    PyErr_SetString(PyExc_ValueError, "expected a type, a kernel that is ready and empty_like");
    return nullptr;
  }
  // Its parameters must be what CallOp passes: arrays and scalars of the type, then a count.
  const hologram_launch_plan* plan = AsKernel(kernel)->plan;
  const uint32_t arrays = self->num_arrays + 1;
  bool fits = plan->num_parameters == arrays + self->num_scalars + 1;
  for (uint32_t k = 0; fits && k < plan->num_parameters; ++k) {
    const uint32_t wanted = k < arrays                      ? code | kBuffer
                            : k + 1 == plan->num_parameters ? uint32_t{HOLOGRAM_U32}
                                                            : code;
    fits = (plan->codes[k] & ~kWritable) == wanted;
  }
  if (!fits) {
    PyErr_Format(PyExc_ValueError, "kernel '%s' does not have the parameters of '%U'",
                 hologram_kernel_name(AsKernel(kernel)->kernel), self->name);
    return nullptr;
  }
  Py_XSETREF(self->kernels[code], Py_NewRef(kernel));
  Py_XSETREF(self->empty_like, Py_NewRef(empty_like));
  Py_RETURN_NONE;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  const OpObject* self = AsOp(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->slow);
  Py_VISIT(self->fast);
  Py_VISIT(self->number);
  for (PyObject* kernel : self->kernels) Py_VISIT(kernel);
  return 0;
}

PyObject* Gone(PyObject* /*callable*/, PyObject* const* /*given*/, size_t /*flags*/,
               PyObject* /*names*/) {
  PyErr_SetString(PyExc_RuntimeError, "this operation has been collected");
  return nullptr;
}

int Clear(PyObject* object) {
  OpObject* self = AsOp(object);
  self->vectorcall = Gone;
  Py_CLEAR(self->slow);
  Py_CLEAR(self->fast);
  Py_CLEAR(self->number);
  Py_CLEAR(self->empty_like);
  for (PyObject*& kernel : self->kernels) Py_CLEAR(kernel);
  return 0;
}

void Deallocate(PyObject* object) {
  PyObject_GC_UnTrack(object);
  Clear(object);
  Py_XDECREF(AsOp(object)->name);
  Py_XDECREF(AsOp(object)->doc);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* Name(PyObject* self, void* /*unused*/) {
  return Py_NewRef(AsOp(self)->name);
}
PyObject* Doc(PyObject* self, void* /*unused*/) {
  return Py_NewRef(AsOp(self)->doc);
}
PyObject* Slow(PyObject* self, void* /*unused*/) {
  if (AsOp(self)->slow != nullptr) return Py_NewRef(AsOp(self)->slow);
  PyErr_SetString(PyExc_AttributeError, "this operation has been collected");
  return nullptr;
}
PyObject* Module(PyObject* /*self*/, void* /*unused*/) {
  return PyUnicode_FromString("hologram.ops");
}
PyObject* Represent(PyObject* self) {
  return PyUnicode_FromFormat("<hologram.ops.%U>", AsOp(self)->name);
}
// By its name, as a function of a module.
PyObject* Reduce(PyObject* self, PyObject* /*unused*/) {
  return Py_NewRef(AsOp(self)->name);
}

PyMethodDef kMethods[] = {
    {"_add_kernel", AddKernel, METH_VARARGS, nullptr},
    {"_link", Link, METH_VARARGS, nullptr},
    {"__reduce__", Reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef kProperties[] = {
    {"__name__", Name, nullptr, nullptr, nullptr},
    {"__qualname__", Name, nullptr, nullptr, nullptr},
    {"__module__", Module, nullptr, nullptr, nullptr},
    {"__doc__", Doc, nullptr, nullptr, nullptr},
    {"__wrapped__", Slow, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(Represent)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {"hologram.Op", sizeof(OpObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     kSlots};

}  // namespace

PyObject* MakeOpType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  op_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

PyObject* NewOp(PyObject* /*module*/, PyObject* arguments) {
  PyObject* name = nullptr;
  unsigned int num_arrays = 0;
  unsigned int num_scalars = 0;
  PyObject* slow = nullptr;
  PyObject* doc = nullptr;
  if (PyArg_ParseTuple(arguments, "UIIOU", &name, &num_arrays, &num_scalars, &slow, &doc) == 0) {
    return nullptr;
  }
  if (num_arrays < 1 || num_arrays > kMostArrays || num_scalars > kMostScalars) {
    PyErr_SetString(PyExc_ValueError, "expected one to three arrays and at most two scalars");
    return nullptr;
  }
  PyObject* object = op_type->tp_alloc(op_type, 0);
  if (object == nullptr) return nullptr;
  OpObject* self = AsOp(object);
  self->vectorcall = CallOp;
  self->num_arrays = num_arrays;
  self->num_scalars = num_scalars;
  self->name = Py_NewRef(name);
  self->slow = Py_NewRef(slow);
  self->doc = Py_NewRef(doc);
  return object;
}

}  // namespace hologram::python
