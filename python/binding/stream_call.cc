#include "stream_call.h"

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "hologram/stream.h"
#include "interrupt.h"
#include "kernel_object.h"
#include "objects.h"
#include "observe_call.h"
#include "release_gil.h"
#include "scalars.h"
#include "whole_call.h"

namespace hologram::python {
namespace {

struct PoolObject {
  PyObject_HEAD;
  hologram_pool* pool;
};

PyTypeObject* pool_type = nullptr;

PyObject* MakePool(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  unsigned long long bytes = 0;
  if (PyArg_ParseTuple(arguments, "K", &bytes) == 0) return nullptr;
  PyObject* object = PyType_GenericAlloc(type, 0);
  if (object == nullptr) return nullptr;
  if (Succeeded(hologram_pool_create(bytes, &reinterpret_cast<PoolObject*>(object)->pool))) {
    return object;
  }
  Py_DECREF(object);
  return nullptr;
}

void FreePool(PyObject* object) {
  hologram_pool_destroy(reinterpret_cast<PoolObject*>(object)->pool);
  FreeObject(object);
}

int BufferOfPool(PyObject* object, Py_buffer* view, int flags) {
  const hologram_pool* pool = reinterpret_cast<PoolObject*>(object)->pool;
  return PyBuffer_FillInfo(view, object, hologram_pool_data(pool),
                           static_cast<Py_ssize_t>(hologram_pool_size(pool)), 0, flags);
}

// The lock of the interpreter, for a thread that may have none.
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// What a function of the user has raised, until the stream is over.
class Raised {
 public:
  Raised() = default;
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;
  ~Raised() {
    Py_XDECREF(type_);
    Py_XDECREF(value_);
    Py_XDECREF(trace_);
  }
  void Keep() {
    if (type_ == nullptr) return PyErr_Fetch(&type_, &value_, &trace_);
    PyErr_Clear();
  }
  bool any() const { return type_ != nullptr; }
  void Restore() {
    PyErr_Restore(type_, value_, trace_);
    type_ = value_ = trace_ = nullptr;
  }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

struct CalledPlace {
  PyObject* function = nullptr;  // borrowed
  std::string start;             // of the library's message, if it failed: "'src': "
  Raised raised;
};

int64_t ReadByCall(void* context, void* data, uint64_t bytes) {
  const WithGil gil;
  auto& place = *static_cast<CalledPlace*>(context);
  PyObject* memory = PyMemoryView_FromMemory(static_cast<char*>(data),
                                             static_cast<Py_ssize_t>(bytes), PyBUF_WRITE);
  PyObject* result =
      memory == nullptr ? nullptr : PyObject_CallFunctionObjArgs(place.function, memory, nullptr);
  const int64_t got = result == nullptr ? -1 : PyLong_AsLongLong(result);
  Py_XDECREF(result);
  Py_XDECREF(memory);
  if (got >= 0 && PyErr_Occurred() == nullptr) return got;
  if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_ValueError, "a count below 0");
  place.raised.Keep();
  return -EIO;
}

int32_t WriteByCall(void* context, const void* data, uint64_t bytes) {
  const WithGil gil;
  auto& place = *static_cast<CalledPlace*>(context);
  PyObject* memory = PyMemoryView_FromMemory(static_cast<char*>(const_cast<void*>(data)),
                                             static_cast<Py_ssize_t>(bytes), PyBUF_READ);
  PyObject* result =
      memory == nullptr ? nullptr : PyObject_CallFunctionObjArgs(place.function, memory, nullptr);
  Py_XDECREF(memory);
  if (result != nullptr) {
    Py_DECREF(result);
    return 0;
  }
  place.raised.Keep();
  return -EIO;
}

// Everything that a stream borrows while it runs.
struct Places {
  std::vector<hologram_flow> flows;
  std::vector<std::unique_ptr<hologram_place>> places;
  std::vector<std::unique_ptr<CalledPlace>> called;
  Holds holds;
};

bool ReadPlace(PyObject* object, const char* name, bool reads, Places& all,
               const hologram_place*& result) {
  if (object == Py_None) return true;
  all.places.push_back(std::make_unique<hologram_place>());
  hologram_place& place = *all.places.back();
  result = &place;
  const char* kind = nullptr;
  PyObject* rest[3] = {};
  if (PyArg_ParseTuple(object, "sO|OO", &kind, &rest[0], &rest[1], &rest[2]) == 0) return false;
  const std::string_view what = kind;
  if (what == "call") {
    all.called.push_back(std::make_unique<CalledPlace>());
    all.called.back()->function = rest[0];
    all.called.back()->start = "'" + std::string(name) + "': ";
    place.context = all.called.back().get();
    if (reads) place.read = ReadByCall;
    if (!reads) place.write = WriteByCall;
    return true;
  }
  if (what == "array") {
    ArrayView view;
    if (ReadArray(rest[0], view, nullptr, all.holds) != ReadResult::kRead) return false;
    place.memory = view.memory.data;
    return true;
  }
  if (rest[1] == nullptr || rest[2] == nullptr) {
    PyErr_SetString(PyExc_TypeError, "a place has an offset and one more");
    return false;
  }
  place.offset = PyLong_AsUnsignedLongLong(rest[1]);
  if (PyErr_Occurred() != nullptr) return false;
  if (what == "fd") {
    place.descriptor = static_cast<int32_t>(PyLong_AsLong(rest[0]));
    place.sequential = PyObject_IsTrue(rest[2]) == 1 ? 1 : 0;
    return PyErr_Occurred() == nullptr;
  }
  place.path = PyBytes_AsString(rest[0]);
  place.header = PyBytes_AsString(rest[2]);
  if (place.path == nullptr || place.header == nullptr) return false;
  place.header_bytes = static_cast<uint64_t>(PyBytes_Size(rest[2]));
  return true;
}

bool ReadFlow(PyObject* object, const char* name, uint64_t extent, Places& all) {
  if (PyTuple_Check(object) == 0 || PyTuple_Size(object) != 3) {
    PyErr_SetString(PyExc_TypeError, "a flow has a source, a sink and an array");
    return false;
  }
  hologram_flow flow{};
  flow.extent = extent;
  if (!ReadPlace(PyTuple_GetItem(object, 0), name, true, all, flow.source) ||
      !ReadPlace(PyTuple_GetItem(object, 1), name, false, all, flow.sink)) {
    return false;
  }
  all.flows.push_back(flow);
  return true;
}

// What the caller hears while a stream runs.
struct Hearing {
  PyObject* function = nullptr;  // borrowed; null: nobody
  Raised raised;
};

PyObject* NumbersOf(const hologram_streamed& now) {
  return Py_BuildValue("KKKKKdddd", static_cast<unsigned long long>(now.elements),
                       static_cast<unsigned long long>(now.windows),
                       static_cast<unsigned long long>(now.bytes_read),
                       static_cast<unsigned long long>(now.bytes_written),
                       static_cast<unsigned long long>(now.pool_bytes), now.seconds, now.reading,
                       now.computing, now.writing);
}

int32_t Hear(void* context, const hologram_streamed* now) {
  const WithGil gil;
  auto& hearing = *static_cast<Hearing*>(context);
  bool good = PyErr_CheckSignals() == 0;
  if (good && hearing.function != nullptr) {
    PyObject* numbers = NumbersOf(*now);
    PyObject* result =
        numbers == nullptr ? nullptr : PyObject_CallObject(hearing.function, numbers);
    good = result != nullptr;
    Py_XDECREF(result);
    Py_XDECREF(numbers);
  }
  if (!good) hearing.raised.Keep();
  return good ? 0 : 1;
}

bool ReadOptions(PyObject* object, hologram_stream_config& config, Hearing& hearing) {
  unsigned long long window = 0;
  unsigned long long depth = 0;
  PyObject* pool = nullptr;
  PyObject* progress = nullptr;
  if (PyArg_ParseTuple(object, "KKOO", &window, &depth, &pool, &progress) == 0) return false;
  config.window = window;
  config.depth = depth;
  if (pool != Py_None) {
    if (Py_TYPE(pool) != pool_type) {
      PyErr_SetString(PyExc_TypeError, "expected a pool");
      return false;
    }
    config.pool = reinterpret_cast<PoolObject*>(pool)->pool;
  }
  if (progress != Py_None) hearing.function = progress;
  config.progress = Hear;
  config.context = &hearing;
  return true;
}

// The error of the library, or what was raised where it is about that.
PyObject* Finish(hologram_error* error, const hologram_streamed& streamed, Places& all,
                 Hearing& hearing, Raised* step) {
  if (error == nullptr) return NumbersOf(streamed);
  const std::string_view message = hologram_error_message(error);
  Raised* raised = nullptr;
  for (const auto& place : all.called) {
    if (place->raised.any() && message.starts_with(place->start)) raised = &place->raised;
  }
  const bool stopped = hologram_error_code(error) == HOLOGRAM_ERROR_CANCELLED;
  if (stopped && hearing.raised.any()) raised = &hearing.raised;
  if (stopped && step != nullptr && step->any()) raised = step;
  if (raised == nullptr) {
    Succeeded(error);
    return nullptr;
  }
  hologram_error_destroy(error);
  raised->Restore();
  return nullptr;
}

struct Step {
  PyObject* function = nullptr;
  std::vector<uint64_t> sizes;  // of an element of each array
  Raised raised;
};

int32_t CallStep(void* context, void* const* windows, uint64_t elements) {
  const WithGil gil;
  auto& step = *static_cast<Step*>(context);
  PyObject* arguments = PyTuple_New(static_cast<Py_ssize_t>(step.sizes.size()) + 1);
  bool good = arguments != nullptr;
  for (size_t k = 0; good && k < step.sizes.size(); ++k) {
    PyObject* memory =
        PyMemoryView_FromMemory(static_cast<char*>(windows[k]),
                                static_cast<Py_ssize_t>(elements * step.sizes[k]), PyBUF_WRITE);
    good = memory != nullptr;
    if (good) PyTuple_SetItem(arguments, static_cast<Py_ssize_t>(k), memory);
  }
  PyObject* count = good ? PyLong_FromUnsignedLongLong(elements) : nullptr;
  good = count != nullptr;
  if (good) PyTuple_SetItem(arguments, static_cast<Py_ssize_t>(step.sizes.size()), count);
  PyObject* result = good ? PyObject_CallObject(step.function, arguments) : nullptr;
  Py_XDECREF(arguments);
  if (result == nullptr) step.raised.Keep();
  good = result != nullptr;
  Py_XDECREF(result);
  return good ? 0 : 1;
}

}  // namespace

PyObject* MakePoolType() {
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(MakePool)},
      {Py_tp_dealloc, reinterpret_cast<void*>(FreePool)},
      {Py_bf_getbuffer, reinterpret_cast<void*>(BufferOfPool)},
      {Py_tp_doc, const_cast<char*>("The memory of a hologram.Pool.")},
      {0, nullptr},
  };
  static PyType_Spec spec = {"hologram._native.PoolMemory", sizeof(PoolObject), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  PyObject* type = PyType_FromSpec(&spec);
  pool_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

PyObject* StreamRun(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  Whole whole;
  Places all;
  Hearing hearing;
  hologram_stream_config config{};
  if (count != 4) {
    PyErr_Format(PyExc_TypeError, "expected 4 arguments, found %zd", count);
    return nullptr;
  }
  if (!ReadWhole(given[0], given[1], whole) || !ReadOptions(given[3], config, hearing)) {
    return nullptr;
  }
  if (PyTuple_Check(given[2]) == 0 ||
      PyTuple_Size(given[2]) != static_cast<Py_ssize_t>(whole.extents.size())) {
    PyErr_SetString(PyExc_TypeError, "expected a flow for each array");
    return nullptr;
  }
  size_t b = 0;
  for (size_t k = 0; k < whole.count; ++k) {
    if ((whole.arguments[k].code & kBuffer) == 0) continue;
    PyObject* flow = PyTuple_GetItem(given[2], static_cast<Py_ssize_t>(b));
    const char* name = hologram_kernel_parameter(whole.kernel->kernel, k)->name;
    if (!ReadFlow(flow, name, whole.extents[b++], all)) return nullptr;
    PyObject* array = PyTuple_GetItem(flow, 2);
    // A stream writes what it may write by the code of the plan.
    whole.arguments[k].code |= kWritable;
    if (array == Py_None) continue;
    ArrayView view;
    const ReadResult read = ReadArray(array, view, nullptr, all.holds);
    if (read == ReadResult::kNoArray) PyErr_Format(PyExc_TypeError, "'%s' expects an array", name);
    if (read != ReadResult::kRead) return nullptr;
    whole.arguments[k].code = view.code;
    whole.arguments[k].buffer = view.memory;
  }
  hologram_streamed streamed{};
  hologram_error* error = nullptr;
  {
    const Interruptible interruptible(whole.kernel->kernel);
    error = hologram_stream_run(whole.kernel->kernel, whole.arguments.data(), whole.given_shapes(),
                                whole.count, &whole.config, all.flows.data(), &config, &streamed);
  }
  return Finish(error, streamed, all, hearing, nullptr);
}

PyObject* StreamApply(PyObject* /*module*/, PyObject* const* given, Py_ssize_t count) {
  Places all;
  Hearing hearing;
  Step step;
  hologram_stream_config config{};
  if (count != 7) {
    PyErr_Format(PyExc_TypeError, "expected 7 arguments, found %zd", count);
    return nullptr;
  }
  step.function = given[0];
  for (const Py_ssize_t k : {1, 2, 3, 4}) {
    if (PyTuple_Check(given[k]) != 0 && PyTuple_Size(given[k]) == PyTuple_Size(given[1])) {
      continue;
    }
    PyErr_SetString(PyExc_TypeError, "expected tuples of one length");
    return nullptr;
  }
  std::vector<const char*> names;
  std::vector<uint32_t> types;
  for (Py_ssize_t k = 0; k < PyTuple_Size(given[1]); ++k) {
    uint64_t type = 0;
    uint64_t extent = 0;
    const char* name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(given[1], k), nullptr);
    if (name == nullptr || !ReadScalar(PyTuple_GetItem(given[2], k), HOLOGRAM_U32, type) ||
        !ReadScalar(PyTuple_GetItem(given[3], k), HOLOGRAM_U64, extent) ||
        !ReadFlow(PyTuple_GetItem(given[4], k), name, extent, all)) {
      return nullptr;
    }
    names.push_back(name);
    types.push_back(static_cast<uint32_t>(type));
    step.sizes.push_back(8 / ElementsOf(static_cast<uint32_t>(type), 8));
  }
  uint64_t row = 0;
  if (!ReadScalar(given[5], HOLOGRAM_U64, row) || !ReadOptions(given[6], config, hearing)) {
    return nullptr;
  }
  hologram_streamed streamed{};
  hologram_error* error = nullptr;
  {
    const ReleaseGil released;
    error = hologram_stream_apply(CallStep, &step, types.data(), names.data(), all.flows.data(),
                                  all.flows.size(), row, &config, &streamed);
  }
  return Finish(error, streamed, all, hearing, &step.raised);
}

}  // namespace hologram::python
