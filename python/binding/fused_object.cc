#include "fused_object.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dlpack.h"
#include "hologram/detail/reduction.hpp"
#include "isa/type.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "numpy_fields.h"
#include "objects.h"
#include "op_fields.h"
#include "scalars.h"
#include "strided.h"

namespace hologram::python {
namespace {

constexpr uint8_t kNumber = 0xff;  // instead of an element type: a Python float or int
constexpr uint8_t kShared = 0x40;  // beside an element type: as long as the last axis
constexpr uint8_t kColumn = 0x20;  // one number for each row
constexpr uint8_t kTypeMask = 0x0f;
constexpr size_t kMostEntries = 16;
// Of functions along rows (python/hologram/fusion/rows.py), which cuts longer rows that are
// reduced.
constexpr uint32_t kLanes = 64;
constexpr uint64_t kCut = hologram::detail::row_chunk;

// What a launch is over: elements, or rows, which may be reduced to an element each; of kAll there
// is one row.
enum class Over : uint8_t { kElements, kRows, kLastAxis, kAll, kCount };

// One signature. The kernel's parameters are the arrays in the order of the arguments, the scalars,
// the outputs and the number of elements.
struct Entry {
  struct Scalar {
    uint32_t argument;
    uint32_t type;
  };
  std::vector<uint8_t> arguments;  // an element type, also with kShared or kColumn, or kNumber
  std::vector<Scalar> scalars;
  std::vector<uint32_t> outputs;  // element types
  bool is_tuple = false;          // the result, also of one output
  Over over = Over::kElements;
  std::vector<bool> keepdims;  // of each output; empty if nothing is reduced
  int rank = 0;                // of the arrays that are not shared; 0: any
  PyObject* kernel = nullptr;
  // Of kAll, for more elements than are reduced in one go: the kernel that makes one of each
  // kCut elements, and the reduction of these for each output. Null: Python does it.
  PyObject* cut = nullptr;
  std::vector<PyObject*> joins;

  Entry() = default;
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() {
    Py_XDECREF(kernel);
    Py_XDECREF(cut);
    for (PyObject* join : joins) Py_DECREF(join);
  }
};

struct FusedObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  PyObject* slow;
  PyObject* empty;
  // The newest last; entries are kept alive by launches that use them.
  std::vector<std::shared_ptr<const Entry>>* entries;
};

PyTypeObject* fused_type = nullptr;

FusedObject* AsFused(PyObject* object) {
  return reinterpret_cast<FusedObject*>(object);
}

struct Launch {
  std::array<hologram_buffer_ref, HOLOGRAM_MAX_PARAMETERS> buffers;
  std::array<uint64_t, HOLOGRAM_MAX_PARAMETERS> scalars;
  std::array<uint8_t, HOLOGRAM_MAX_PARAMETERS> codes;  // of the arguments, as in Entry
  size_t num_buffers = 0;
  NumpyArray first;    // has the shape of all that are neither shared nor columns
  uint64_t count = 0;  // its elements
  uint64_t columns() const { return static_cast<uint64_t>(first.extents[first.rank - 1]); }
};

// Arrays of bool go another way: they are u8 to kernels, but no u8 to the traced function.
bool ReadDense(PyObject* object, NumpyArray& array) {
  return ReadDenseArray(object, array) && !array.is_bool;
}

bool IsColumnOf(const NumpyArray& first, const NumpyArray& array) {
  const int last = first.rank - 1;
  return array.rank == first.rank && array.extents[last] == 1 && first.extents[last] != 1 &&
         std::equal(array.extents, array.extents + last, first.extents);
}

// False: an argument is not of the common kind, and nothing is wrong yet.
bool ReadInputs(PyObject* const* given, size_t count, Launch& launch) {
  if (count >= HOLOGRAM_MAX_PARAMETERS) return false;
  std::array<NumpyArray, HOLOGRAM_MAX_PARAMETERS> arrays;
  for (size_t k = 0; k < count; ++k) {
    if (PyFloat_CheckExact(given[k]) || PyLong_CheckExact(given[k])) {
      launch.codes[k] = kNumber;
      continue;
    }
    NumpyArray& array = arrays[launch.num_buffers];
    if (!ReadDense(given[k], array) || array.rank == 0) return false;
    const bool is_larger = array.rank == launch.first.rank && array.count() > launch.first.count();
    if (array.rank > launch.first.rank || is_larger) launch.first = array;
    launch.codes[k] = static_cast<uint8_t>(array.code);
    launch.buffers[launch.num_buffers++] = {array.data, array.count() * array.size};
  }
  if (launch.first.data == nullptr) return false;
  launch.count = launch.first.count();
  if (launch.count == 0 || launch.count > UINT32_MAX) return false;
  size_t b = 0;
  for (size_t k = 0; k < count; ++k) {
    if (launch.codes[k] == kNumber) continue;
    const NumpyArray& array = arrays[b++];
    if (SameShape(launch.first, array)) continue;
    if (array.rank == 1 && array.count() == launch.columns()) {
      launch.codes[k] |= kShared;
    } else if (IsColumnOf(launch.first, array)) {
      launch.codes[k] |= kColumn;
    } else {
      return false;
    }
  }
  return true;
}

// The shape of output k.
int OutputShape(const Entry& entry, const Launch& launch, size_t k,
                std::array<Py_ssize_t, kMostRank>& extents) {
  const NumpyArray& first = launch.first;
  const int reduced = entry.keepdims.empty()          ? first.rank
                      : entry.over == Over::kLastAxis ? first.rank - 1
                                                      : 0;
  std::copy(first.extents, first.extents + reduced, extents.begin());
  if (entry.keepdims.empty() || !entry.keepdims[k]) return reduced;
  std::fill(extents.begin() + reduced, extents.begin() + first.rank, 1);
  return first.rank;
}

// `first`: the number of the first of the outputs among the buffers.
bool AddOutput(PyObject* out, uint32_t type, std::span<const Py_ssize_t> extents, size_t first,
               Launch& launch) {
  NumpyArray array;
  if (!ReadDense(out, array) || array.code != type || !array.writable ||
      !std::equal(extents.begin(), extents.end(), array.extents, array.extents + array.rank)) {
    return false;
  }
  // Two results at one place are refused by the Python side, with their names.
  for (size_t k = first; k < launch.num_buffers; ++k) {
    if (launch.buffers[k].data == array.data) return false;
  }
  launch.buffers[launch.num_buffers++] = {array.data, array.count() * array.size};
  return true;
}

enum class Outcome : uint8_t { kDone, kFailed, kUnhandled };

hologram_error* LaunchRows(const KernelObject* kernel, const Launch& launch, uint64_t rows) {
  const hologram_launch_plan& plan = *kernel->plan;
  std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> arguments;
  size_t buffer = 0;
  size_t scalar = 0;
  for (uint32_t k = 0; k < plan.num_parameters; ++k) {
    arguments[k].code = plan.codes[k];
    if ((plan.codes[k] & HOLOGRAM_ARGUMENT_BUFFER) != 0) {
      arguments[k].buffer = launch.buffers[buffer++];
    } else {
      arguments[k].scalar = launch.scalars[scalar++];
    }
  }
  return LaunchShaped(kernel->kernel, arguments.data(), plan.num_parameters,
                      {static_cast<uint32_t>(rows), 1, 1}, {kLanes, 1, 1});
}

Outcome Run(const Entry& entry, const Launch& launch, uint64_t elements) {
  const KernelObject* kernel = AsKernel(entry.kernel);
  hologram_error* error =
      entry.over == Over::kElements
          ? LaunchBound(kernel->kernel, launch.buffers.data(), launch.scalars.data(), nullptr)
          : LaunchRows(kernel, launch, launch.count / elements);
  if (error == nullptr) return Outcome::kDone;
  if (hologram_error_code(error) == HOLOGRAM_ERROR_INVALID_ARGUMENT) {
    // Python knows the names of the arguments.
    hologram_error_destroy(error);
    return Outcome::kUnhandled;
  }
  SetError(error);
  return Outcome::kFailed;
}

// Of more elements than are reduced in one go: parts first, then the operations that join them.
Outcome RunCut(const Entry& entry, const Launch& launch) {
  const uint64_t parts = (launch.count + kCut - 1) / kCut;
  const size_t first = launch.num_buffers - entry.outputs.size();
  std::vector<detail::ReductionScratch> scratch(entry.outputs.size());
  std::vector<char*> partial;
  Launch cut = launch;
  for (size_t k = 0; k < entry.outputs.size(); ++k) {
    const uint64_t bytes = parts * isa::SizeOf(static_cast<isa::Type>(entry.outputs[k]));
    partial.push_back(scratch[k].get(bytes));
    cut.buffers[first + k] = {partial.back(), bytes};
  }
  hologram_error* error = LaunchRows(AsKernel(entry.cut), cut, parts);
  if (error != nullptr) {
    SetError(error);
    return Outcome::kFailed;
  }
  for (size_t k = 0; k < entry.outputs.size(); ++k) {
    if (!ReduceLine(AsOp(entry.joins[k]), entry.outputs[k], partial[k], parts,
                    static_cast<char*>(launch.buffers[first + k].data))) {
      return Outcome::kFailed;
    }
  }
  return Outcome::kDone;
}

std::shared_ptr<const Entry> Find(const FusedObject* self, size_t count, const Launch& launch) {
  for (size_t k = self->entries->size(); k-- > 0;) {
    const Entry& entry = *(*self->entries)[k];
    if (entry.arguments.size() == count && (entry.rank == 0 || entry.rank == launch.first.rank) &&
        std::equal(entry.arguments.begin(), entry.arguments.end(), launch.codes.begin())) {
      return (*self->entries)[k];
    }
  }
  return nullptr;
}

// out=: one array, or a tuple of as many as there are outputs. Borrowed; nullptr: it is neither.
PyObject* GivenOutput(PyObject* out, const Entry& entry, size_t k) {
  if (!entry.is_tuple) return out;
  if (PyTuple_CheckExact(out) == 0 ||
      PyTuple_Size(out) != static_cast<Py_ssize_t>(entry.outputs.size())) {
    return nullptr;
  }
  return PyTuple_GetItem(out, static_cast<Py_ssize_t>(k));
}

// What the call returns. New references in `outputs`.
PyObject* Result(const std::vector<PyObject*>& outputs, bool is_tuple) {
  if (!is_tuple) return Py_NewRef(outputs[0]);
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(outputs.size()));
  for (size_t k = 0; tuple != nullptr && k < outputs.size(); ++k) {
    PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(k), Py_NewRef(outputs[k]));
  }
  return tuple;
}

// The common call. kUnhandled: nothing has happened but that arrays were made.
Outcome CallCommon(const FusedObject* self, PyObject* const* given, size_t count, PyObject* out,
                   std::vector<PyObject*>& outputs, bool& is_tuple) {
  Launch launch;
  if (!ReadInputs(given, count, launch)) return Outcome::kUnhandled;
  const std::shared_ptr<const Entry> entry = Find(self, count, launch);
  if (entry == nullptr) return Outcome::kUnhandled;
  is_tuple = entry->is_tuple;
  for (size_t k = 0; k < entry->scalars.size(); ++k) {
    const Entry::Scalar& scalar = entry->scalars[k];
    if (!ReadScalar(given[scalar.argument], scalar.type, launch.scalars[k])) {
      PyErr_Clear();
      return Outcome::kUnhandled;
    }
  }
  const bool by_rows = entry->over == Over::kRows || entry->over == Over::kLastAxis;
  const uint64_t elements = by_rows ? launch.columns() : launch.count;
  const bool is_cut = !entry->keepdims.empty() && elements > kCut;
  if (is_cut && (entry->cut == nullptr || elements > INT32_MAX)) return Outcome::kUnhandled;
  if (by_rows && launch.count > INT32_MAX) return Outcome::kUnhandled;
  launch.scalars[entry->scalars.size()] = elements;
  const size_t num_inputs = launch.num_buffers;
  for (size_t k = 0; k < entry->outputs.size(); ++k) {
    std::array<Py_ssize_t, kMostRank> extents;
    const int rank = OutputShape(*entry, launch, k, extents);
    PyObject* array = out == nullptr
                          ? NewArrayOf(entry->outputs[k], rank, extents.data(), self->empty)
                          : Py_XNewRef(GivenOutput(out, *entry, k));
    if (array == nullptr) return PyErr_Occurred() ? Outcome::kFailed : Outcome::kUnhandled;
    outputs.push_back(array);
    const std::span<const Py_ssize_t> shape(extents.data(), static_cast<size_t>(rank));
    if (!AddOutput(array, entry->outputs[k], shape, num_inputs, launch)) return Outcome::kUnhandled;
  }
  return is_cut ? RunCut(*entry, launch) : Run(*entry, launch, elements);
}

// As AskArrays, for results too.
bool AskAll(PyObject* const* given, size_t count, PyObject* out) {
  if (!AskArrays({given, count})) return false;
  if (out == nullptr || PyTuple_CheckExact(out) == 0) return AskArrays({&out, 1});
  for (Py_ssize_t k = 0; k < PyTuple_Size(out); ++k) {
    PyObject* const one = PyTuple_GetItem(out, k);
    if (!AskArrays({&one, 1})) return false;
  }
  return true;
}

PyObject* CallFused(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  const FusedObject* self = AsFused(callable);
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  const Py_ssize_t num_named = names == nullptr ? 0 : PyTuple_Size(names);
  PyObject* out = nullptr;
  const bool only_out =
      num_named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out") == 0;
  if (only_out && given[count] != Py_None) out = given[count];
  if ((num_named == 0 || only_out) && AskAll(given, count, out)) {
    std::vector<PyObject*> outputs;
    bool is_tuple = false;
    const Outcome outcome = CallCommon(self, given, count, out, outputs, is_tuple);
    PyObject* result = outcome == Outcome::kDone ? Result(outputs, is_tuple) : nullptr;
    for (PyObject* array : outputs) Py_DECREF(array);
    if (outcome != Outcome::kUnhandled) return result;
  }
  return PyObject_Vectorcall(self->slow, given, flags, names);
}

// _add_kernel(kernel, types of arguments, scalars, types of outputs, whether the result is a tuple,
// over, keepdims, rank, cut, joins): types are numbers of hologram.h but bf16, which no array of
// NumPy's own has, plus 64 for arrays that rows share, 32 for columns; -1 for an argument that is a
// number. Scalars are (argument, type), `over` is a number of Over, keepdims are those of outputs
// that are reduced, rank is that of the arrays, or 0 for any. `cut` is the kernel of parts of all
// elements, or None, `joins` the reductions of them, one for each output.
PyObject* AddKernel(PyObject* object, PyObject* values) {
  FusedObject* self = AsFused(object);
  PyObject* kernel = nullptr;
  PyObject* arguments = nullptr;
  PyObject* scalars = nullptr;
  PyObject* outputs = nullptr;
  int is_tuple = 0;
  unsigned int over = 0;
  PyObject* keepdims = nullptr;
  int rank = 0;
  PyObject* cut = nullptr;
  PyObject* joins = nullptr;
  if (PyArg_ParseTuple(values, "OO!O!O!pIO!iOO!", &kernel, &PyTuple_Type, &arguments, &PyTuple_Type,
                       &scalars, &PyTuple_Type, &outputs, &is_tuple, &over, &PyTuple_Type,
                       &keepdims, &rank, &cut, &PyTuple_Type, &joins) == 0) {
    return nullptr;
  }
  const auto entry = std::make_shared<Entry>();
  for (Py_ssize_t k = 0; k < PyTuple_Size(keepdims); ++k) {
    entry->keepdims.push_back(PyTuple_GetItem(keepdims, k) == Py_True);
  }
  std::vector<uint32_t> wanted;  // codes of the parameters
  bool has_bf16 = false;
  for (Py_ssize_t k = 0; k < PyTuple_Size(arguments); ++k) {
    const long type = PyLong_AsLong(PyTuple_GetItem(arguments, k));
    if (PyErr_Occurred() != nullptr) return nullptr;
    entry->arguments.push_back(type < 0 ? kNumber : static_cast<uint8_t>(type));
    const uint32_t element = static_cast<uint32_t>(type) & kTypeMask;
    has_bf16 |= type >= 0 && element == HOLOGRAM_BF16;
    if (type >= 0) wanted.push_back(element | kBuffer);
  }
  for (Py_ssize_t k = 0; k < PyTuple_Size(scalars); ++k) {
    Entry::Scalar scalar{};
    if (PyArg_ParseTuple(PyTuple_GetItem(scalars, k), "II", &scalar.argument, &scalar.type) == 0) {
      return nullptr;
    }
    if (scalar.argument >= entry->arguments.size()) scalar.type = kNumber;  // refused below
    entry->scalars.push_back(scalar);
    wanted.push_back(scalar.type);
  }
  for (Py_ssize_t k = 0; k < PyTuple_Size(outputs); ++k) {
    const unsigned long type = PyLong_AsUnsignedLong(PyTuple_GetItem(outputs, k));
    if (PyErr_Occurred() != nullptr) return nullptr;
    has_bf16 |= type == HOLOGRAM_BF16;
    entry->outputs.push_back(static_cast<uint32_t>(type));
    wanted.push_back(static_cast<uint32_t>(type) | kBuffer);
  }
  wanted.push_back(HOLOGRAM_U32);
  bool fits = IsKernel(kernel) && AsKernel(kernel)->kernel != nullptr &&
              !AsKernel(kernel)->has_config && !AsKernel(kernel)->has_rank &&
              AsKernel(kernel)->plan->num_parameters == wanted.size() && !has_bf16 &&
              (is_tuple != 0 ? !entry->outputs.empty() : entry->outputs.size() == 1) &&
              over < static_cast<unsigned>(Over::kCount) &&
              entry->keepdims.size() ==
                  (over >= static_cast<unsigned>(Over::kLastAxis) ? entry->outputs.size() : 0);
  for (size_t k = 0; fits && k < wanted.size(); ++k) {
    fits = (AsKernel(kernel)->plan->codes[k] & ~kWritable) == wanted[k];
  }
  if (!fits) {
    PyErr_SetString(PyExc_ValueError, "expected a kernel that is ready, with these parameters");
    return nullptr;
  }
  if (cut != Py_None) {
    const bool is_kernel = IsKernel(cut) && Resolve(AsKernel(cut)) &&
                           AsKernel(cut)->plan->num_parameters == wanted.size();
    if (!is_kernel || over != static_cast<unsigned>(Over::kAll) ||
        PyTuple_Size(joins) != static_cast<Py_ssize_t>(entry->outputs.size())) {
      PyErr_SetString(PyExc_ValueError, "expected a kernel of parts, and reductions of them");
      return nullptr;
    }
    for (Py_ssize_t k = 0; k < PyTuple_Size(joins); ++k) {
      PyObject* join = PyTuple_GetItem(joins, k);
      if (!IsOp(join)) {
        PyErr_SetString(PyExc_TypeError, "expected a reduction");
        return nullptr;
      }
      entry->joins.push_back(Py_NewRef(join));
    }
    entry->cut = Py_NewRef(cut);
  }
  entry->kernel = Py_NewRef(kernel);
  entry->is_tuple = is_tuple != 0;
  entry->rank = rank;
  entry->over = static_cast<Over>(over);
  if (self->entries->size() == kMostEntries) self->entries->erase(self->entries->begin());
  self->entries->push_back(entry);
  Py_RETURN_NONE;
}

int Traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(AsFused(object)->slow);
  return 0;
}

PyObject* Gone(PyObject* /*callable*/, PyObject* const* /*given*/, size_t /*flags*/,
               PyObject* /*names*/) {
  PyErr_SetString(PyExc_RuntimeError, "this function has been collected");
  return nullptr;
}

int Clear(PyObject* object) {
  AsFused(object)->vectorcall = Gone;
  Py_CLEAR(AsFused(object)->slow);
  return 0;
}

void Deallocate(PyObject* object) {
  PyObject_GC_UnTrack(object);
  Clear(object);
  Py_XDECREF(AsFused(object)->empty);
  delete AsFused(object)->entries;
  FreeObject(object);
}

// What this type has not, the Python object has.
PyObject* GetAttribute(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(object, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0 ||
      AsFused(object)->slow == nullptr) {
    return found;
  }
  PyErr_Clear();
  return PyObject_GetAttr(AsFused(object)->slow, name);
}

PyObject* OfSlow(PyObject* object, void* name) {
  if (AsFused(object)->slow != nullptr) {
    return PyObject_GetAttrString(AsFused(object)->slow, static_cast<const char*>(name));
  }
  PyErr_SetString(PyExc_AttributeError, "this function has been collected");
  return nullptr;
}
PyObject* Represent(PyObject* object) {
  PyObject* slow = AsFused(object)->slow;
  return slow == nullptr ? PyUnicode_FromString("<hologram.Fused>") : PyObject_Repr(slow);
}
// By its name, as a function of a module, or as what it has traced (hologram.fusion.pickles).
PyObject* Reduce(PyObject* object, PyObject* /*unused*/) {
  PyObject* slow = AsFused(object)->slow;
  PyObject* module = slow == nullptr ? nullptr : PyImport_ImportModule("hologram.fusion.pickles");
  if (module == nullptr) return OfSlow(object, const_cast<char*>("__qualname__"));
  PyObject* reduced = PyObject_CallMethod(module, "reduced", "OO", object, slow);
  Py_DECREF(module);
  return reduced;
}

PyMethodDef kMethods[] = {
    {"_add_kernel", AddKernel, METH_VARARGS, nullptr},
    {"__reduce__", Reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef kProperties[] = {
    {"__doc__", OfSlow, nullptr, nullptr, const_cast<char*>("__doc__")},
    {"__module__", OfSlow, nullptr, nullptr, const_cast<char*>("__module__")},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FusedObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(Clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(Represent)},
    {Py_tp_getattro, reinterpret_cast<void*>(GetAttribute)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {"hologram.Fused", sizeof(FusedObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                         Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     kSlots};

}  // namespace

PyObject* MakeFusedType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  fused_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

PyObject* NewFused(PyObject* /*module*/, PyObject* arguments) {
  PyObject* slow = nullptr;
  PyObject* empty = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &slow, &empty) == 0) return nullptr;
  PyObject* object = PyType_GenericAlloc(fused_type, 0);
  if (object == nullptr) return nullptr;
  FusedObject* self = AsFused(object);
  self->vectorcall = CallFused;
  self->slow = Py_NewRef(slow);
  self->empty = Py_NewRef(empty);
  self->entries = new std::vector<std::shared_ptr<const Entry>>;
  return object;
}

}  // namespace hologram::python
