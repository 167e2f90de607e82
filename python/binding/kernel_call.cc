#include "kernel_call.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "arrays.h"
#include "device_array.h"
#include "hologram/detail/launch.h"
#include "interrupt.h"
#include "isa/type.h"
#include "kernel_fields.h"
#include "kernel_object.h"
#include "observe_call.h"
#include "scalars.h"

namespace hologram::python {
namespace {

// Says of an argument that it does not fit; all else (KeyboardInterrupt, MemoryError, what an
// array's own methods raise) goes on as it is.
bool IsAboutArgument(PyObject* type) {
  for (PyObject* about :
       {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError, PyExc_BufferError}) {
    if (PyErr_GivenExceptionMatches(type, about) != 0) return true;
  }
  return false;
}

// The arguments of a call, converted.
struct Call {
  std::array<hologram_argument, HOLOGRAM_MAX_PARAMETERS> arguments;
  std::array<hologram_buffer_ref, HOLOGRAM_MAX_PARAMETERS> buffers;
  std::array<uint64_t, HOLOGRAM_MAX_PARAMETERS> scalars;
  // Of kernels with arrays of several dimensions.
  std::array<hologram_array_shape, HOLOGRAM_MAX_PARAMETERS> shapes;
  std::array<const hologram_array_shape*, HOLOGRAM_MAX_PARAMETERS> shape_of;
  uint64_t bytes = 0;
  uint64_t elements = 0;                      // of the largest array
  bool plain = true;                          // all codes are those of the plan
  const ValueArray* const* values = nullptr;  // of arrays that were read before
  Holds holds;

  const ValueArray* values_of(size_t k) const { return values == nullptr ? nullptr : values[k]; }
};

[[gnu::always_inline]] inline bool ReadNumber(const KernelObject* self, size_t k, PyObject* object,
                                              Call& call, size_t& num_scalars) {
  hologram_argument& argument = call.arguments[k];
  argument.code = self->plan->codes[k];
  if (self->has_rank) call.shape_of[k] = nullptr;
  if (!ReadScalar(object, argument.code, argument.scalar)) {
    NameArgument(self, k);
    return false;
  }
  call.scalars[num_scalars++] = argument.scalar;
  return true;
}

// False: a Python error is set.
[[gnu::always_inline]] inline bool ReadOneArray(PyObject* object, ArrayView& view,
                                                hologram_array_shape* shape, Holds& holds) {
  switch (ReadArray(object, view, shape, holds)) {
    case ReadResult::kRead:
      return true;
    case ReadResult::kNoArray:
      if (IsDeviceArray(object)) {
        ReadDeviceArray(object, view, shape);
        return true;
      }
      PyErr_Format(PyExc_TypeError,
                   "expects an array (NumPy, buffer protocol or DLPack), found %R%s", object,
                   PyList_Check(object) != 0 ? "; write np.array(..., np.float32)" : "");
      return false;
    case ReadResult::kFailed:
      return false;
  }
  return false;
}

[[gnu::always_inline]] inline bool ReadBuffer(const KernelObject* self, size_t k, PyObject* object,
                                              Call& call, size_t& num_buffers) {
  const uint32_t wanted = self->plan->codes[k];
  hologram_argument& argument = call.arguments[k];
  hologram_array_shape* shape = nullptr;
  if (self->has_rank) {
    if (hologram_kernel_parameter(self->kernel, k)->rank > 1) shape = &call.shapes[k];
    call.shape_of[k] = shape;
  }
  ArrayView view;
  if (const ValueArray* values = call.values_of(k)) {
    view = {values->memory, values->code};
    if (shape != nullptr) *shape = values->shape;
  } else if (!ReadOneArray(object, view, shape, call.holds)) {
    NameArgument(self, k);
    return false;
  }
  argument.code = view.code;
  argument.buffer = view.memory;
  call.buffers[num_buffers++] = view.memory;
  call.bytes += view.memory.bytes;
  call.elements = std::max(call.elements, ElementsOf(view.code, view.memory.bytes));
  // WRITABLE in the plan is a demand, in the argument a permission.
  const uint32_t missing = wanted & ~view.code;
  // Memory on a device has a bit of its own.
  call.plain &= missing == 0 && ((wanted ^ view.code) & ~kWritable) == 0;
  return true;
}

// After all arguments were read, of which one may have run code of the user.
[[gnu::cold, gnu::noinline]] bool CheckUnchanged(const KernelObject* self, PyObject* const* given,
                                                 const Call& call) {
  for (size_t k = 0; k < self->plan->num_parameters; ++k) {
    const hologram_argument& argument = call.arguments[k];
    if ((argument.code & kBuffer) == 0 || call.values_of(k) != nullptr) continue;
    if (IsDeviceArray(given[k])) continue;
    const ArrayView view = {argument.buffer, argument.code};
    if (!IsUnchanged(given[k], view, self->has_rank ? call.shape_of[k] : nullptr)) {
      NameArgument(self, k);
      return false;
    }
  }
  return true;
}

// Scalars first: their conversion may run code of the user, which may free the memory of arrays.
[[gnu::cold, gnu::noinline]] bool ReadScalarsFirst(const KernelObject* self, PyObject* const* given,
                                                   Call& call) {
  call.bytes = 0;
  call.elements = 0;
  call.plain = true;
  for (const bool buffers : {false, true}) {
    size_t number = 0;
    for (size_t k = 0; k < self->plan->num_parameters; ++k) {
      if (((self->plan->codes[k] & kBuffer) != 0) != buffers) continue;
      if (!(buffers ? ReadBuffer(self, k, given[k], call, number)
                    : ReadNumber(self, k, given[k], call, number))) {
        return false;
      }
    }
  }
  return true;
}

bool ReadArguments(const KernelObject* self, PyObject* const* given, Call& call) {
  size_t num_buffers = 0;
  size_t num_scalars = 0;
  bool read = true;
  for (size_t k = 0; k < self->plan->num_parameters; ++k) {
    if ((self->plan->codes[k] & kBuffer) != 0) {
      if (!ReadBuffer(self, k, given[k], call, num_buffers)) return false;
    } else if (PyLong_CheckExact(given[k]) || PyFloat_CheckExact(given[k])) [[likely]] {
      if (!ReadNumber(self, k, given[k], call, num_scalars)) return false;
    } else {
      read = false;
      break;
    }
  }
  if (!read && !ReadScalarsFirst(self, given, call)) return false;
  return !call.holds.may_have_run_code() || CheckUnchanged(self, given, call);
}

// Whether a launch is surely over before anybody waits for it, also where its arguments are not
// proved and the interpreter runs it. What depends on the shapes of arrays, only the library knows.
bool IsShort(const KernelObject* self, const hologram_launch_config& config, const Call& call) {
  if (!call.plain || config.budget != 0) return false;
  if (self->has_rank && self->plan->num_short_scalars != 0) return false;
  constexpr uint64_t kSlowdown = 64;
  uint64_t lanes = kSlowdown * (call.bytes + kBlockLanes);  // at most, without a grid
  if (config.grid[0] != 0) {
    lanes = kSlowdown * (config.block[0] == 0 ? kBlockLanes : 1);
    for (int d = 0; d < 3; ++d) {
      const uint64_t count = uint64_t{config.grid[d]} * std::max(config.block[d], 1U);
      if (__builtin_mul_overflow(lanes, count, &lanes)) return false;
    }
  }
  return IsSurelyShort(*self->plan, call.scalars.data(), lanes);
}

// The full way of a launch.
hologram_error* LaunchFully(const KernelObject* self, const Call& call) {
  hologram_error* error = nullptr;
  hologram_launch_config config = self->has_config ? self->config : hologram_launch_config{};
  config.caller = HOLOGRAM_CALLER_PYTHON;
  NoteCaller();
  const auto launch = [&] {
    error = hologram_kernel_launch_shaped(self->kernel, call.arguments.data(),
                                          self->has_rank ? call.shape_of.data() : nullptr,
                                          self->plan->num_parameters, &config);
  };
  const bool is_short = IsShort(self, config, call);
  if (is_short && call.bytes < kReleaseBytes) {
    launch();
    return error;
  }
  if (is_short) {
    const ReleaseGil released;
    launch();
  } else {
    const Interruptible interruptible(self->kernel);
    launch();
  }
  return error;
}

// Of a type that NumPy has: "float32". Empty: of another.
std::string NameInNumPy(isa::Type type) {
  const std::string name(isa::NameOf(type));
  if (name == "bf16") return "";
  return (name[0] == 'f' ? "float" : name[0] == 'u' ? "uint" : "int") + name.substr(1);
}

// Arrays have the element types of the kernel, else what to write is the message.
bool CheckTypes(const KernelObject* self, const Call& call) {
  for (size_t k = 0; k < self->plan->num_parameters; ++k) {
    const uint32_t wanted = self->plan->codes[k];
    const uint32_t found = call.arguments[k].code;
    const bool arrays = (wanted & found & kBuffer) != 0 && (found & HOLOGRAM_ARGUMENT_DEVICE) == 0;
    if (!arrays || ((wanted ^ found) & kTypeOfArgument) == 0 ||
        (found & kTypeOfArgument) >= isa::kNumTypes)
      continue;
    const hologram_parameter* parameter = hologram_kernel_parameter(self->kernel, k);
    const auto type = static_cast<isa::Type>(wanted & kTypeOfArgument);
    std::string text = "expects an array of " + std::string(isa::NameOf(type)) +
                       ", found an array of " +
                       std::string(isa::NameOf(static_cast<isa::Type>(found & kTypeOfArgument)));
    if (const std::string numpy = NameInNumPy(type); !numpy.empty()) {
      const bool written = (wanted & kWritable) != 0;
      text += written ? "; make it with dtype=np." + numpy
                      : "; write " + std::string(parameter->name) + ".astype(np." + numpy + ")";
    }
    PyErr_SetString(PyExc_TypeError, text.c_str());
    NameArgument(self, k);
    return false;
  }
  return true;
}

// Whether more is asked for than a grid and a block, or one of them without the other.
bool HasOptions(const hologram_launch_config& config) {
  return (config.grid[0] == 0) != (config.block[0] == 0) || config.budget != 0 ||
         config.nondeterministic != 0 || config.backend != HOLOGRAM_BACKEND_AUTO ||
         config.threads != 0 || config.class_base != 0;
}

// True as well for a kernel without such scalars. False: the full way decides.
[[gnu::always_inline]] inline bool AddShapeScalars(const KernelObject* self, Call& call) {
  return !self->takes_shapes ||
         hologram_kernel_shape_scalars(self->kernel, call.buffers.data(),
                                       self->has_rank ? call.shape_of.data() : nullptr,
                                       call.scalars.data()) != 0;
}

bool Finish(const KernelObject* self, Call& call) {
  const hologram_launch_config& config = self->config;
  if (!call.plain && !CheckTypes(self, call)) return false;
  if (!call.plain || (self->has_config && HasOptions(config)) || !AddShapeScalars(self, call)) {
    return Succeeded(LaunchFully(self, call));
  }
  const bool with_shape = self->has_config && config.grid[0] != 0;
  hologram_launch_shape shape;
  if (with_shape) {
    std::copy(std::begin(config.grid), std::end(config.grid), shape.grid);
    std::copy(std::begin(config.block), std::end(config.block), shape.block);
  }
  // Lanes take no long time there, but their loops may. There are no more than bytes, but for those
  // that fill a block.
  const uint64_t lanes = with_shape ? LanesOf(config.grid, config.block) : call.bytes + kBlockLanes;
  const hologram_buffer_ref* buffers = call.buffers.data();
  const uint64_t* scalars = call.scalars.data();
  return Succeeded(detail::launch(
      [&](hologram_launch_state* state) {
        int32_t outcome = 0;
        RunLaunch(self->kernel, *self->plan, scalars, lanes, call.bytes, [&] {
          outcome = self->takes_shapes
                        ? hologram_kernel_enter_shaped(self->kernel, buffers, scalars,
                                                       with_shape ? &shape : nullptr, state)
                    : with_shape
                        ? hologram_kernel_enter(self->kernel, buffers, scalars, &shape, state)
                        : detail::enter(*self->plan, buffers, scalars, state);
        });
        if (outcome == HOLOGRAM_LAUNCH_DONE) CountSizes(call.bytes, call.elements);
        return outcome;
      },
      [&](const hologram_launch_state& state) {
        return hologram_kernel_fault(self->kernel, buffers, scalars, with_shape ? &shape : nullptr,
                                     &state);
      },
      [&] { return LaunchFully(self, call); }));
}

// Puts keyword arguments at the places of their parameters. False: a Python error is set.
bool PlaceKeywords(const KernelObject* self, PyObject* const* given, Py_ssize_t num_positional,
                   PyObject* names, std::array<PyObject*, HOLOGRAM_MAX_PARAMETERS>& placed) {
  for (Py_ssize_t j = 0; j < PyTuple_Size(names); ++j) {
    PyObject* name = PyTuple_GetItem(names, j);
    size_t k = 0;
    while (k < self->plan->num_parameters &&
           PyUnicode_CompareWithASCIIString(
               name, hologram_kernel_parameter(self->kernel, k)->name) != 0) {
      ++k;
    }
    if (k == self->plan->num_parameters || placed[k] != nullptr) {
      PyErr_Format(
          PyExc_TypeError, "kernel '%s': %s '%U'", hologram_kernel_name(self->kernel),
          k == self->plan->num_parameters ? "there is no parameter" : "given twice:", name);
      return false;
    }
    placed[k] = given[num_positional + j];
  }
  return true;
}

PyObject* WrongCount(const KernelObject* self, Py_ssize_t count) {
  std::string names;
  for (size_t k = 0; k < self->plan->num_parameters; ++k) {
    names += std::string(k == 0 ? "" : ", ") + hologram_kernel_parameter(self->kernel, k)->name;
  }
  PyErr_Format(PyExc_TypeError, "kernel '%s' expects %u arguments (%s), found %zd",
               hologram_kernel_name(self->kernel), self->plan->num_parameters, names.c_str(),
               count);
  return nullptr;
}

}  // namespace

void NameArgument(const KernelObject* self, size_t k) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  if (!IsAboutArgument(type)) return PyErr_Restore(type, value, trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  PyObject* errors = PyImport_ImportModule("hologram.errors");
  const hologram_parameter* parameter = hologram_kernel_parameter(self->kernel, k);
  PyObject* made = errors == nullptr
                       ? nullptr
                       : PyObject_CallMethod(errors, "argument_error", "ssOi",
                                             hologram_kernel_name(self->kernel), parameter->name,
                                             value, parameter->direction == HOLOGRAM_IN ? 0 : 1);
  Py_XDECREF(errors);
  if (made != nullptr) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made)), made);
    Py_DECREF(made);
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
}

namespace {

// `finish` launches with the arguments, and says whether that succeeded.
template <class Launch>
[[gnu::always_inline]] inline PyObject* CallWith(PyObject* callable, PyObject* const* given,
                                                 size_t flags, PyObject* names,
                                                 const Launch& finish) {
  const KernelObject* self = AsKernel(callable);
  const Py_ssize_t num_positional = PyVectorcall_NARGS(flags);
  const Py_ssize_t num_keywords = names == nullptr ? 0 : PyTuple_Size(names);
  if (num_positional + num_keywords != static_cast<Py_ssize_t>(self->plan->num_parameters)) {
    return WrongCount(self, num_positional + num_keywords);
  }
  std::array<PyObject*, HOLOGRAM_MAX_PARAMETERS> placed;
  if (num_keywords != 0) {
    placed = {};
    std::copy(given, given + num_positional, placed.begin());
    if (!PlaceKeywords(self, given, num_positional, names, placed)) return nullptr;
    given = placed.data();
  }
  Call call;
  if (!ReadArguments(self, given, call) || !finish(self, call)) return nullptr;
  Py_RETURN_NONE;
}

// What the library has found out about the grid, as a warning.
bool WarnOfGrid(const KernelObject* self, const char* earlier) {
  const char* note = hologram_kernel_note(self->kernel);
  if (note == earlier) return true;
  PyObject* errors = PyImport_ImportModule("hologram.errors");
  PyObject* type = errors == nullptr ? nullptr : PyObject_GetAttrString(errors, "GridWarning");
  Py_XDECREF(errors);
  const bool good = type != nullptr && PyErr_WarnEx(type, note, 1) == 0;
  Py_XDECREF(type);
  return good;
}

}  // namespace

PyObject* CallKernel(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  return CallWith(callable, given, flags, names, Finish);
}

PyObject* CallOnValues(const KernelObject* self, PyObject* const* given,
                       const ValueArray* const* values) {
  Call call;
  call.values = values;
  if (!ReadArguments(self, given, call) || !Finish(self, call)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* CallExamined(PyObject* callable, PyObject* const* given, size_t flags, PyObject* names) {
  AsKernel(callable)->vectorcall = CallKernel;
  KernelObject* owner = OwnerOf(callable);
  if (owner->grids_left != 0) --owner->grids_left;
  return CallWith(callable, given, flags, names, [](const KernelObject* self, const Call& call) {
    if (!call.plain && !CheckTypes(self, call)) return false;
    const char* earlier = hologram_kernel_note(self->kernel);
    return Succeeded(LaunchFully(self, call)) && WarnOfGrid(self, earlier);
  });
}

PyObject* ProfileKernel(PyObject* object, PyObject* const* given, Py_ssize_t count,
                        PyObject* names) {
  if (!Resolve(AsKernel(object))) return nullptr;
  if (count < 1) {
    PyErr_SetString(PyExc_TypeError, "expected a source");
    return nullptr;
  }
  const char* source = given[0] == Py_None ? nullptr : PyUnicode_AsUTF8AndSize(given[0], nullptr);
  if (source == nullptr && given[0] != Py_None) return nullptr;
  char* text = nullptr;
  char* picture = nullptr;
  const auto profile = [&](const KernelObject* self, const Call& call) {
    hologram_error* error = nullptr;
    const hologram_launch_config config =
        self->has_config ? self->config : hologram_launch_config{};
    Py_BEGIN_ALLOW_THREADS;
    error = hologram_kernel_profile(self->kernel, call.arguments.data(),
                                    self->has_rank ? call.shape_of.data() : nullptr,
                                    self->plan->num_parameters, &config, source, &text, &picture);
    Py_END_ALLOW_THREADS;
    return Succeeded(error);
  };
  PyObject* done = CallWith(object, given + 1, static_cast<size_t>(count - 1), names, profile);
  if (done == nullptr) return nullptr;
  Py_DECREF(done);
  PyObject* result = Py_BuildValue("(ss)", text, picture);
  hologram_text_destroy(text);
  hologram_text_destroy(picture);
  return result;
}

}  // namespace hologram::python
