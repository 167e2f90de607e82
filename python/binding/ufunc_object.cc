#include "ufunc_object.h"

#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "isa/type.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "ufunc_loops.h"

namespace hologram::python {
namespace {

constexpr int kNoIdentity = -1;
constexpr const char* kCapsule = "hologram_ufunc";

// What an object of numpy.ufunc points to, and lives as long as it.
struct Ufunc {
  std::string name;
  std::string doc;
  std::string signature;
  std::vector<void (*)(char**, const intptr_t*, const intptr_t*, void*)> functions;
  std::deque<UfuncLoop> loops;
  std::vector<void*> data;
  std::vector<char> types;
  std::vector<PyObject*> kernels;

  Ufunc() = default;
  Ufunc(const Ufunc&) = delete;
  Ufunc& operator=(const Ufunc&) = delete;
  ~Ufunc() {
    for (PyObject* kernel : kernels) Py_DECREF(kernel);
  }
};

void DestroyCapsule(PyObject* capsule) {
  delete static_cast<Ufunc*>(PyCapsule_GetPointer(capsule, kCapsule));
}

// The first fields of PyUFuncObject, which extensions have compiled into them.
struct UfuncFields {
  PyObject_HEAD;
  int inputs, outputs, arrays;
  int identity;
  void* functions;
  void* data;
  int types;
  int reserved;
  const char* name;
  const char* type_numbers;
  const char* doc;
  void* pointer;
  PyObject* owned;
};

// PyUFunc_FromFuncAndDataAndSignature of NumPy's C API.
using Make = PyObject* (*)(void* functions, void* const* data, const char* types, int num_types,
                           int inputs, int outputs, int identity, const char* name, const char* doc,
                           int unused, const char* signature);

// Its places are the same in all versions of NumPy since 1.7. nullptr: a Python error is set.
Make FindMake() {
  constexpr int kTypePlace = 0;
  constexpr int kMakePlace = 31;
  for (const char* module_name :
       {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
    PyObject* module = PyImport_ImportModule(module_name);
    if (module == nullptr) {
      PyErr_Clear();
      continue;
    }
    PyObject* capsule = PyObject_GetAttrString(module, "_UFUNC_API");
    PyObject* add = PyObject_GetAttrString(module, "add");
    Py_DECREF(module);
    void** table = capsule != nullptr && PyCapsule_CheckExact(capsule) != 0
                       ? static_cast<void**>(PyCapsule_GetPointer(capsule, nullptr))
                       : nullptr;
    const bool is_known = table != nullptr && add != nullptr && table[kTypePlace] == Py_TYPE(add);
    Py_XDECREF(capsule);
    Py_XDECREF(add);
    PyErr_Clear();
    if (is_known) return reinterpret_cast<Make>(table[kMakePlace]);
  }
  PyErr_SetString(PyExc_RuntimeError, "the C interface of this NumPy is not known");
  return nullptr;
}

struct Given {
  const char* name;
  const char* doc;
  int inputs;
  int outputs;
  int identity;
  const char* signature;
  PyObject* cores;
  PyObject* loops;
};

bool ReadCores(PyObject* rows, size_t first, size_t count, bool has_extents, UfuncLoop& loop) {
  for (size_t k = 0; k < count; ++k) {
    PyObject* numbers = PyTuple_GetItem(rows, static_cast<Py_ssize_t>(k));
    if (numbers == nullptr || PyTuple_CheckExact(numbers) == 0) return false;
    for (Py_ssize_t d = 0; d < PyTuple_Size(numbers); ++d) {
      const long core = PyLong_AsLong(PyTuple_GetItem(numbers, d));
      if (PyErr_Occurred() != nullptr || (core < 0 && !has_extents)) return false;
      loop.arrays[first + k].cores.push_back(static_cast<int>(core));
    }
  }
  return true;
}

// Whether a kernel is (arrays..., number of elements), as many as there are.
bool Fits(PyObject* object, size_t arrays, bool has_ranks) {
  if (!IsKernel(object) || !Resolve(AsKernel(object))) return false;
  const KernelObject* kernel = AsKernel(object);
  if (kernel->has_config || (kernel->has_rank && !has_ranks)) return false;
  const hologram_launch_plan& plan = *kernel->plan;
  if (plan.num_parameters != arrays + 1 || plan.codes[arrays] != HOLOGRAM_U32) return false;
  for (size_t k = 0; k < arrays; ++k) {
    if ((plan.codes[k] & HOLOGRAM_ARGUMENT_BUFFER) == 0) return false;
  }
  return true;
}

bool AddLoop(const Given& given, PyObject* row, Ufunc& made) {
  const auto count = static_cast<size_t>(given.inputs + given.outputs);
  PyObject* kernel = nullptr;
  PyObject* types = nullptr;
  PyObject* scratch = nullptr;
  if (PyArg_ParseTuple(row, "OO!O!", &kernel, &PyTuple_Type, &types, &PyTuple_Type, &scratch) ==
      0) {
    return false;
  }
  const size_t made_here =
      given.signature != nullptr ? static_cast<size_t>(PyTuple_Size(scratch)) : 0;
  if (count + made_here > kMostUfuncArrays) {
    PyErr_Format(PyExc_TypeError, "expected at most %zu arrays, with those that a call makes",
                 kMostUfuncArrays);
    return false;
  }
  if (!Fits(kernel, count + made_here, given.signature != nullptr) ||
      PyTuple_Size(types) != static_cast<Py_ssize_t>(count)) {
    if (PyErr_Occurred() == nullptr) {
      PyErr_SetString(PyExc_TypeError, "expected a kernel of arrays and their length");
    }
    return false;
  }
  UfuncLoop& loop = made.loops.emplace_back();
  loop.kernel = AsKernel(kernel)->kernel;
  loop.plan = AsKernel(kernel)->plan;
  // Without results all arrays may be written.
  loop.inputs = given.outputs > 0 ? static_cast<size_t>(given.inputs) : 0;
  loop.count = count;
  for (size_t k = 0; k < count; ++k) {
    loop.arrays[k].size = isa::SizeOf(static_cast<isa::Type>(loop.plan->codes[k] & 0xf));
    const long number = PyLong_AsLong(PyTuple_GetItem(types, static_cast<Py_ssize_t>(k)));
    if (PyErr_Occurred() != nullptr) return false;
    made.types.push_back(static_cast<char>(number));
  }
  loop.scratch = made_here;
  for (size_t k = count; k < count + made_here; ++k) {
    loop.arrays[k].size = isa::SizeOf(static_cast<isa::Type>(loop.plan->codes[k] & 0xf));
  }
  if (given.signature != nullptr && (!ReadCores(given.cores, 0, count, false, loop) ||
                                     !ReadCores(scratch, count, made_here, true, loop))) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_ValueError, "expected dimensions");
    return false;
  }
  made.kernels.push_back(Py_NewRef(kernel));
  made.functions.push_back(given.signature != nullptr ? RunGeneralizedUfunc : RunUfunc);
  made.data.push_back(&loop);
  return true;
}

}  // namespace

PyObject* NewUfunc(PyObject* /*module*/, PyObject* arguments) {
  Given given{};
  if (PyArg_ParseTuple(arguments, "ssiiizO!O!", &given.name, &given.doc, &given.inputs,
                       &given.outputs, &given.identity, &given.signature, &PyTuple_Type,
                       &given.cores, &PyTuple_Type, &given.loops) == 0) {
    return nullptr;
  }
  const bool has_outputs = given.outputs > 0 || given.signature != nullptr;
  if (given.inputs < 1 || given.outputs < 0 || !has_outputs || PyTuple_Size(given.loops) == 0 ||
      given.inputs + given.outputs > static_cast<int>(kMostUfuncArrays) ||
      given.identity < kNoIdentity || given.identity > 1) {
    PyErr_Format(PyExc_TypeError, "expected at most %zu arrays, one to read and one to write",
                 kMostUfuncArrays);
    return nullptr;
  }
  const Make make = FindMake();
  if (make == nullptr) return nullptr;
  auto made = std::make_unique<Ufunc>();
  made->name = given.name;
  made->doc = given.doc;
  if (given.signature != nullptr) made->signature = given.signature;
  for (Py_ssize_t k = 0; k < PyTuple_Size(given.loops); ++k) {
    if (!AddLoop(given, PyTuple_GetItem(given.loops, k), *made)) return nullptr;
  }
  PyObject* object = make(made->functions.data(), made->data.data(), made->types.data(),
                          static_cast<int>(made->loops.size()), given.inputs, given.outputs,
                          given.identity, made->name.c_str(), made->doc.c_str(), 0,
                          given.signature == nullptr ? nullptr : made->signature.c_str());
  if (object == nullptr) return nullptr;
  PyObject* capsule = PyCapsule_New(made.get(), kCapsule, DestroyCapsule);
  if (capsule == nullptr) {
    Py_DECREF(object);
    return nullptr;
  }
  made.release();
  reinterpret_cast<UfuncFields*>(object)->owned = capsule;  // let go with the object
  return object;
}

}  // namespace hologram::python
