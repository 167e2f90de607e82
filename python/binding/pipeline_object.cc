#include "pipeline_object.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "arrays.h"
#include "hologram/pipeline.h"
#include "interrupt.h"
#include "kernel_object.h"
#include "launch_call.h"
#include "numpy_fields.h"
#include "objects.h"
#include "strided.h"

namespace hologram::python {
namespace {

constexpr size_t kMostArrays = 64;  // of a call from Python

struct PipelineObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  hologram_pipeline* pipeline;
  size_t num_inputs;
  size_t num_outputs;
  uint64_t bytes;   // of its inputs and outputs
  PyObject* empty;  // numpy.empty
};

PyTypeObject* pipeline_type = nullptr;

PipelineObject* AsPipeline(PyObject* object) {
  return reinterpret_cast<PipelineObject*>(object);
}

const hologram_pipeline_array& ArrayAt(const PipelineObject* self, size_t k) {
  return *hologram_pipeline_array_at(self->pipeline, k);
}

// "(64, 10)"
template <class Extents>
std::string ShapeText(const Extents& extents, size_t rank) {
  std::string text = "(";
  for (size_t d = 0; d < rank; ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(extents[d]);
  }
  return text + (rank == 1 ? ",)" : ")");
}

bool RefuseArray(const PipelineObject* self, size_t k, const std::string& what) {
  const std::string text = "'" + std::string(ArrayAt(self, k).name) + "' " + what;
  return Refuse(hologram_pipeline_name(self->pipeline), text.c_str());
}

// Extents of an array that is given.
template <class Extents>
bool CheckShape(const PipelineObject* self, size_t k, const Extents& extents, size_t rank) {
  const hologram_pipeline_array& wanted = ArrayAt(self, k);
  bool same = rank == wanted.rank;
  for (size_t d = 0; same && d < rank; ++d) {
    same = static_cast<uint64_t>(extents[d]) == wanted.extents[d];
  }
  if (same) return true;
  return RefuseArray(self, k,
                     "has the shape " + ShapeText(extents, rank) + ", expected " +
                         ShapeText(wanted.extents, wanted.rank) +
                         ": a pipeline is for the shapes that were recorded");
}

struct Given {
  std::array<PyObject*, kMostArrays> objects{};
  std::array<hologram_argument, kMostArrays> arguments;
};

bool ReadNumpy(const PipelineObject* self, size_t k, const NumpyArray& array,
               hologram_argument& argument) {
  if (!CheckShape(self, k, array.extents, static_cast<size_t>(array.rank))) return false;
  if (!array.contiguous) {
    return RefuseArray(self, k, "has gaps or another order; hologram.ops.copy makes one without");
  }
  if (ArrayAt(self, k).direction == HOLOGRAM_OUT && !array.writable) {
    return RefuseArray(self, k, "is written, found a read-only array");
  }
  argument.code = array.code | kBuffer | (array.writable ? kWritable : 0U);
  argument.buffer = {array.data, array.count() * array.size};
  return true;
}

// An array of another kind. Code of the user may run.
bool ReadOther(const PipelineObject* self, size_t k, PyObject* object, hologram_argument& argument,
               hologram_array_shape& shape, Holds& holds) {
  ArrayView view;
  switch (ReadArray(object, view, &shape, holds)) {
    case ReadResult::kRead:
      break;
    case ReadResult::kNoArray:
      return RefuseArray(self, k, "expects an array (NumPy, buffer protocol or DLPack)");
    case ReadResult::kFailed:
      return false;
  }
  if (!CheckShape(self, k, shape.extents, shape.rank)) return false;
  uint64_t stride = 1;
  const bool is_dense =
      std::all_of(shape.strides, shape.strides + shape.rank, [](uint64_t one) { return one == 0; });
  for (size_t d = is_dense ? 0 : shape.rank; d-- > 0;) {
    if (shape.strides[d] != stride && shape.extents[d] != 1) {
      return RefuseArray(self, k, "has gaps or another order; hologram.ops.copy makes one without");
    }
    stride *= shape.extents[d];
  }
  argument.code = view.code;
  argument.buffer = view.memory;
  return true;
}

// Arrays of NumPy last: to read the others may run code of the user, which may move them.
bool ReadAll(const PipelineObject* self, Given& given, size_t count, Holds& holds) {
  std::array<hologram_array_shape, kMostArrays> shapes;
  std::array<bool, kMostArrays> is_other{};
  NumpyArray array;
  for (size_t k = 0; k < count; ++k) {
    is_other[k] = !IsNumpyArray(given.objects[k]);
    if (is_other[k] &&
        !ReadOther(self, k, given.objects[k], given.arguments[k], shapes[k], holds)) {
      return false;
    }
  }
  for (size_t k = 0; k < count; ++k) {
    if (is_other[k]) continue;
    if (!ReadNumpyArray(given.objects[k], array)) {
      return RefuseArray(self, k,
                         "has elements that no kernel has, or strides that are not whole elements");
    }
    if (!ReadNumpy(self, k, array, given.arguments[k])) return false;
  }
  for (size_t k = 0; holds.may_have_run_code() && k < count; ++k) {
    const ArrayView view = {given.arguments[k].buffer, given.arguments[k].code};
    if (is_other[k] && !IsUnchanged(given.objects[k], view, &shapes[k])) return false;
  }
  return true;
}

std::optional<size_t> Find(const PipelineObject* self, PyObject* name) {
  for (size_t k = 0; k < self->num_inputs; ++k) {
    if (PyUnicode_CompareWithASCIIString(name, ArrayAt(self, k).name) == 0) return k;
  }
  return std::nullopt;
}

// Inputs by place and by name, and `out`. False: a Python error is set.
bool Place(const PipelineObject* self, PyObject* const* objects, Py_ssize_t count, PyObject* names,
           Given& given, PyObject*& out) {
  const char* who = hologram_pipeline_name(self->pipeline);
  const auto positions = static_cast<size_t>(count);
  if (positions > self->num_inputs) {
    const std::string text = "expected " + std::to_string(self->num_inputs) + " inputs, found " +
                             std::to_string(positions);
    return Refuse(who, text.c_str());
  }
  std::copy(objects, objects + count, given.objects.begin());
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t j = 0; j < named; ++j) {
    PyObject* name = PyTuple_GetItem(names, j);
    const std::optional<size_t> k = Find(self, name);
    if (!k && PyUnicode_CompareWithASCIIString(name, "out") == 0) {
      out = objects[count + j];
    } else if (!k || given.objects[*k] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s: %s '%U'", who, k ? "given twice:" : "there is no input",
                   name);
      return false;
    } else {
      given.objects[*k] = objects[count + j];
    }
  }
  for (size_t k = 0; k < self->num_inputs; ++k) {
    if (given.objects[k] == nullptr) return RefuseArray(self, k, "is missing");
  }
  return true;
}

// The outputs as they are returned: what is given, or new arrays. A new reference; nullptr: a
// Python error is set.
PyObject* PlaceOutputs(const PipelineObject* self, PyObject* out, Given& given) {
  const bool is_given = out != nullptr && out != Py_None;
  if (is_given && self->num_outputs == 1 && !PyTuple_CheckExact(out)) {
    given.objects[self->num_inputs] = out;
    return Py_NewRef(out);
  }
  if (is_given && (!PyTuple_CheckExact(out) ||
                   PyTuple_Size(out) != static_cast<Py_ssize_t>(self->num_outputs))) {
    Refuse(hologram_pipeline_name(self->pipeline),
           "'out' expects a tuple, an array for each output");
    return nullptr;
  }
  PyObject* results =
      is_given ? Py_NewRef(out) : PyTuple_New(static_cast<Py_ssize_t>(self->num_outputs));
  for (size_t j = 0; results != nullptr && j < self->num_outputs; ++j) {
    const auto place = static_cast<Py_ssize_t>(j);
    if (!is_given) {
      const hologram_pipeline_array& array = ArrayAt(self, self->num_inputs + j);
      if (array.type == HOLOGRAM_BF16) {
        RefuseArray(self, self->num_inputs + j, "is bf16, which has to be given as out=");
        Py_CLEAR(results);
        break;
      }
      std::array<Py_ssize_t, HOLOGRAM_MAX_RANK> extents{};
      std::copy(array.extents, array.extents + array.rank, extents.begin());
      PyObject* made =
          NewArrayOf(array.type, static_cast<int>(array.rank), extents.data(), self->empty);
      if (made == nullptr) {
        Py_CLEAR(results);
        break;
      }
      PyTuple_SetItem(results, place, made);
    }
    given.objects[self->num_inputs + j] = PyTuple_GetItem(results, place);
  }
  return results;
}

hologram_error* Run(const PipelineObject* self, const Given& given) {
  const size_t count = self->num_inputs + self->num_outputs;
  if (self->bytes < kReleaseBytes && hologram_pipeline_is_short(self->pipeline) != 0) {
    return hologram_pipeline_run(self->pipeline, given.arguments.data(), count);
  }
  const Interruptible interruptible(self->pipeline);
  return hologram_pipeline_run(self->pipeline, given.arguments.data(), count);
}

PyObject* Call(PyObject* callable, PyObject* const* objects, size_t flags, PyObject* names) {
  const PipelineObject* self = AsPipeline(callable);
  Given given;
  Holds holds;
  PyObject* out = nullptr;
  if (!Place(self, objects, PyVectorcall_NARGS(flags), names, given, out)) return nullptr;
  PyObject* results = PlaceOutputs(self, out, given);
  if (results == nullptr) return nullptr;
  // All at once: nothing of the user runs between the reading of NumPy's arrays and the run.
  if (!ReadAll(self, given, self->num_inputs + self->num_outputs, holds) ||
      !Succeeded(Run(self, given))) {
    Py_DECREF(results);
    return nullptr;
  }
  if (self->num_outputs != 1 || results == out) return results;
  PyObject* only = Py_NewRef(PyTuple_GetItem(results, 0));
  Py_DECREF(results);
  return only;
}

void Deallocate(PyObject* object) {
  hologram_pipeline_destroy(AsPipeline(object)->pipeline);
  Py_XDECREF(AsPipeline(object)->empty);
  FreeObject(object);
}

PyObject* Represent(PyObject* object) {
  return PyUnicode_FromFormat("<hologram.Pipeline %s>",
                              hologram_pipeline_name(AsPipeline(object)->pipeline));
}

PyObject* NameOf(PyObject* object, void* /*unused*/) {
  return PyUnicode_FromString(hologram_pipeline_name(AsPipeline(object)->pipeline));
}
PyObject* TextOf(PyObject* object, void* /*unused*/) {
  return PyUnicode_FromString(hologram_pipeline_text(AsPipeline(object)->pipeline));
}

// (name, type number, is it an output, shape) of each input and output.
PyObject* ArraysOf(PyObject* object, void* /*unused*/) {
  const PipelineObject* self = AsPipeline(object);
  const auto count = static_cast<Py_ssize_t>(self->num_inputs + self->num_outputs);
  PyObject* arrays = PyTuple_New(count);
  for (Py_ssize_t k = 0; arrays != nullptr && k < count; ++k) {
    const hologram_pipeline_array& array = ArrayAt(self, static_cast<size_t>(k));
    PyObject* shape = PyTuple_New(static_cast<Py_ssize_t>(array.rank));
    for (uint32_t d = 0; shape != nullptr && d < array.rank; ++d) {
      PyTuple_SetItem(shape, d, PyLong_FromUnsignedLongLong(array.extents[d]));
    }
    PyObject* one = shape == nullptr
                        ? nullptr
                        : Py_BuildValue("(sINN)", array.name, array.type,
                                        PyBool_FromLong(array.direction == HOLOGRAM_OUT), shape);
    if (one == nullptr) {
      Py_CLEAR(arrays);
      break;
    }
    PyTuple_SetItem(arrays, k, one);
  }
  return arrays;
}

// _bundle(levels): the bytes of a file and its trust hash; None: with native code for the usual
// levels.
PyObject* BundleOf(PyObject* object, PyObject* levels) {
  const char* text = levels == Py_None ? nullptr : PyUnicode_AsUTF8AndSize(levels, nullptr);
  if (text == nullptr && levels != Py_None) return nullptr;
  hologram_bundle* bundle = nullptr;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_pipeline_bundle(AsPipeline(object)->pipeline, text, &bundle);
  Py_END_ALLOW_THREADS;
  if (!Succeeded(error)) return nullptr;
  PyObject* made = Py_BuildValue("(y#s)", static_cast<const char*>(hologram_bundle_data(bundle)),
                                 static_cast<Py_ssize_t>(hologram_bundle_size(bundle)),
                                 hologram_bundle_trust_hash(bundle));
  hologram_bundle_destroy(bundle);
  return made;
}

PyMethodDef kMethods[] = {
    {"_bundle", BundleOf, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef kProperties[] = {
    {"name", NameOf, nullptr, "Its name.", nullptr},
    {"text", TextOf, nullptr, "Its arrays and launches, in lines.", nullptr},
    {"_arrays", ArraysOf, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef kMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PipelineObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyType_Slot kSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
    {Py_tp_repr, reinterpret_cast<void*>(Represent)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_methods, kMethods},
    {Py_tp_getset, kProperties},
    {Py_tp_members, kMembers},
    {0, nullptr},
};
PyType_Spec kSpec = {
    "hologram.NativePipeline", sizeof(PipelineObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, kSlots};

}  // namespace

PyObject* MakePipelineType() {
  PyObject* type = PyType_FromSpec(&kSpec);
  pipeline_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

PyObject* NewPipeline(hologram_pipeline* pipeline, PyObject* empty) {
  PyObject* object = PyType_GenericAlloc(pipeline_type, 0);
  if (object == nullptr) {
    hologram_pipeline_destroy(pipeline);
    return nullptr;
  }
  PipelineObject* self = AsPipeline(object);
  self->vectorcall = Call;
  self->pipeline = pipeline;
  self->empty = Py_NewRef(empty);
  const size_t count = hologram_pipeline_num_arrays(pipeline);
  for (size_t k = 0; k < count; ++k) {
    const bool is_input = ArrayAt(self, k).direction == HOLOGRAM_IN;
    (is_input ? self->num_inputs : self->num_outputs) += 1;
  }
  self->bytes = hologram_pipeline_bytes(pipeline);
  if (count > kMostArrays) {
    Refuse(hologram_pipeline_name(pipeline), "more than 64 inputs and outputs");
    Py_CLEAR(object);
  }
  return object;
}

PyObject* LoadPipeline(PyObject* /*module*/, PyObject* arguments) {
  const char* data = nullptr;
  Py_ssize_t size = 0;
  const char* expect = nullptr;
  PyObject* empty = nullptr;
  if (PyArg_ParseTuple(arguments, "y#zO", &data, &size, &expect, &empty) == 0) return nullptr;
  hologram_executor* executor = nullptr;
  if (!Succeeded(hologram_executor_create_private(&executor))) return nullptr;
  hologram_pipeline* pipeline = nullptr;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error =
      hologram_pipeline_load_memory(executor, data, static_cast<size_t>(size), expect, &pipeline);
  Py_END_ALLOW_THREADS;
  hologram_executor_destroy(executor);
  if (!Succeeded(error)) return nullptr;
  return NewPipeline(pipeline, empty);
}

}  // namespace hologram::python
