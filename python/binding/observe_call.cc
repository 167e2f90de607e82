#include "observe_call.h"

#include <frameobject.h>  // which Python.h has from 3.11 on

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "arrays.h"
#include "kernel_object.h"
#include "objects.h"

namespace hologram::python {

void CountSizes(const hologram_launch_plan& plan, const hologram_buffer_ref* buffers) {
  uint64_t bytes = 0;
  uint64_t elements = 0;
  for (uint32_t k = 0; k < plan.num_parameters; ++k) {
    if ((plan.codes[k] & kBuffer) == 0) continue;
    bytes += buffers->bytes;
    elements = std::max(elements, ElementsOf(plan.codes[k], buffers->bytes));
    ++buffers;
  }
  CountSizes(bytes, elements);
}

PyObject* ReadMetrics(PyObject* /*module*/, PyObject* /*unused*/) {
  hologram_metrics* metrics = nullptr;
  if (!Succeeded(hologram_metrics_read(&metrics))) return nullptr;
  const size_t size = hologram_metrics_size(metrics);
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(size));
  for (size_t k = 0; list != nullptr && k < size; ++k) {
    const hologram_metric& metric = *hologram_metrics_at(metrics, k);
    PyObject* row = Py_BuildValue("(sssK)", metric.name, metric.engine, metric.reason,
                                  static_cast<unsigned long long>(metric.value));
    if (row == nullptr) {
      Py_CLEAR(list);
    } else {
      PyList_SetItem(list, static_cast<Py_ssize_t>(k), row);
    }
  }
  hologram_metrics_destroy(metrics);
  return list;
}

namespace {

// What the callback of a trace in Python gets: spans as tuples, as many as there are at once.
PyObject* trace_function = nullptr;  // owned while a trace runs for one
PyObject* taken = nullptr;           // a list, while spans are taken

// A value of a span for Python: text that is not UTF-8 keeps what can be read.
PyObject* TextOf(const char* text) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
}

PyObject* ArgumentsOf(const hologram_span& span) {
  PyObject* dict = PyDict_New();
  for (size_t k = 0; dict != nullptr && k < span.num_arguments; ++k) {
    const hologram_span_argument& argument = span.arguments[k];
    PyObject* value = argument.text != nullptr ? TextOf(argument.text)
                                               : PyLong_FromUnsignedLongLong(argument.number);
    if (value == nullptr || PyDict_SetItemString(dict, argument.name, value) != 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

// Called with the lock of the interpreter: by FlushTrace and StopTrace.
void TakeSpan(void* /*context*/, const hologram_span* span) {
  if (taken == nullptr || PyErr_Occurred() != nullptr) return;
  PyObject* arguments = ArgumentsOf(*span);
  PyObject* row = arguments == nullptr
                      ? nullptr
                      : Py_BuildValue("(NNKKINN)", TextOf(span->category), TextOf(span->name),
                                      static_cast<unsigned long long>(span->begin_ns),
                                      static_cast<unsigned long long>(span->duration_ns),
                                      static_cast<unsigned int>(span->thread),
                                      TextOf(span->thread_name), arguments);
  if (row != nullptr) PyList_Append(taken, row);
  Py_XDECREF(row);
}

// Calls `take`, which may give spans, and then the function with them.
template <class Take>
bool WithTaken(const Take& take) {
  PyObject* list = PyList_New(0);
  if (list == nullptr) return false;
  taken = list;
  bool done = take();
  taken = nullptr;
  done = done && PyErr_Occurred() == nullptr;
  if (done && trace_function != nullptr && PyList_Size(list) != 0) {
    PyObject* result = PyObject_CallFunctionObjArgs(trace_function, list, nullptr);
    done = result != nullptr;
    Py_XDECREF(result);
  }
  Py_DECREF(list);
  return done;
}

}  // namespace

PyObject* StartTrace(PyObject* /*module*/, PyObject* target) {
  if (PyBytes_Check(target)) {
    if (!Succeeded(hologram_trace_start(PyBytes_AsString(target)))) return nullptr;
    Py_RETURN_NONE;
  }
  if (!Succeeded(hologram_trace_start_callback(TakeSpan, nullptr))) return nullptr;
  Replace(trace_function, Py_NewRef(target));
  Py_RETURN_NONE;
}

PyObject* FlushTrace(PyObject* /*module*/, PyObject* /*unused*/) {
  if (!WithTaken([] { return Succeeded(hologram_trace_flush()); })) return nullptr;
  Py_RETURN_NONE;
}

PyObject* StopTrace(PyObject* /*module*/, PyObject* /*unused*/) {
  hologram_trace_summary summary{};
  const bool done = WithTaken([&] { return Succeeded(hologram_trace_stop(&summary)); });
  Py_CLEAR(trace_function);
  if (!done) return nullptr;
  return Py_BuildValue("(KK)", static_cast<unsigned long long>(summary.spans),
                       static_cast<unsigned long long>(summary.dropped));
}

PyObject* ReadDevices(PyObject* /*module*/, PyObject* /*unused*/) {
  size_t count = 0;
  Py_BEGIN_ALLOW_THREADS;
  count = hologram_device_count();
  Py_END_ALLOW_THREADS;
  PyObject* list = PyList_New(0);
  for (size_t k = 0; list != nullptr && k < count; ++k) {
    const hologram_device* device = hologram_device_at(k);
    PyObject* row =
        Py_BuildValue("(ssss)", device->engine, device->name, device->driver, device->why_not);
    if (row == nullptr || PyList_Append(list, row) != 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}

PyObject* Doctor(PyObject* /*module*/, PyObject* with_test) {
  const int wanted = PyObject_IsTrue(with_test);
  if (wanted < 0) return nullptr;
  char* text = nullptr;
  int32_t is_well = 0;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;
  error = hologram_doctor(wanted != 0 ? 1 : 0, &text, &is_well);
  Py_END_ALLOW_THREADS;
  if (!Succeeded(error)) return nullptr;
  PyObject* report = TextOf(text);
  hologram_text_destroy(text);
  if (report == nullptr) return nullptr;
  return Py_BuildValue("(NN)", report, PyBool_FromLong(is_well));
}

namespace {

// "/usr/lib/python3/hologram/" of this package, whose own lines are not what called.
const std::string& PackageFolder() {
  static const std::string folder = [] {
    std::string found;
    PyObject* package = PyImport_ImportModule("hologram");
    PyObject* file = package == nullptr ? nullptr : PyObject_GetAttrString(package, "__file__");
    const char* text = file == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(file, nullptr);
    if (text != nullptr) found = std::string(text).substr(0, std::string(text).rfind('/') + 1);
    Py_XDECREF(file);
    Py_XDECREF(package);
    PyErr_Clear();
    return found;
  }();
  return folder;
}

// False: `frame` is one of this package.
bool IsCaller(PyObject* object) {
  auto* const frame = reinterpret_cast<PyFrameObject*>(object);
  auto* const code = reinterpret_cast<PyObject*>(PyFrame_GetCode(frame));
  PyObject* name = PyObject_GetAttrString(code, "co_filename");
  const char* text = name == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(name, nullptr);
  const std::string& folder = PackageFolder();
  const bool is_caller =
      text != nullptr && (folder.empty() || std::strncmp(text, folder.c_str(), folder.size()) != 0);
  if (is_caller) {
    hologram_trace_caller(text, static_cast<uint32_t>(PyFrame_GetLineNumber(frame)));
  }
  PyErr_Clear();
  Py_XDECREF(name);
  Py_DECREF(code);
  return is_caller;
}

[[gnu::cold, gnu::noinline]] void FindCaller() {
  PyObject* frame = Py_XNewRef(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  constexpr int kMostFrames = 32;
  for (int k = 0; frame != nullptr && frame != Py_None && k < kMostFrames && !IsCaller(frame);
       ++k) {
    Replace(frame, PyObject_GetAttrString(frame, "f_back"));
  }
  Py_XDECREF(frame);
}

}  // namespace

void NoteCaller() {
  if (hologram_trace_is_on() != 0) FindCaller();
}

}  // namespace hologram::python
