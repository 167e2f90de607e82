#include "capture.h"

#include <algorithm>
#include <map>
#include <memory>

#include "arrays.h"
#include "hologram/pipeline.h"
#include "kernel_object.h"
#include "launch_call.h"
#include "numpy_fields.h"
#include "pipeline_object.h"
#include "strided.h"

namespace hologram::python {
namespace {

constexpr const char* kCapture = "hologram.capture";

struct Capture {
  hologram_capture* native;
  PyObject* kept;  // a list: the arrays that stay
  unsigned long thread;
};

// By their threads; the GIL is held by all who look.
std::map<unsigned long, Capture*>& Captures() {
  static std::map<unsigned long, Capture*> captures;
  return captures;
}
bool is_any = false;

void Close(Capture* capture) {
  const auto at = Captures().find(capture->thread);
  if (at != Captures().end() && at->second == capture) Captures().erase(at);
  is_any = !Captures().empty();
}

Capture* CaptureOf(PyObject* capsule) {
  return static_cast<Capture*>(PyCapsule_GetPointer(capsule, kCapture));
}

void DestroyCapture(PyObject* capsule) {
  Capture* capture = CaptureOf(capsule);
  if (capture == nullptr) return;
  Close(capture);
  hologram_capture_destroy(capture->native);
  Py_XDECREF(capture->kept);
  delete capture;
}

bool Keep(const Capture* capture, PyObject* object) {
  hologram_argument memory;
  Holds holds;
  return ReadMemory("capture", object, memory, holds) &&
         PyList_Append(capture->kept, object) == 0 &&
         (memory.buffer.bytes == 0 ||
          Succeeded(
              hologram_capture_keep(capture->native, memory.buffer.data, memory.buffer.bytes)));
}

}  // namespace

PyObject* Captured(PyObject* made) {
  if (!is_any || made == nullptr) return made;
  const auto at = Captures().find(PyThread_get_thread_ident());
  if (at == Captures().end() || Keep(at->second, made)) return made;
  Py_DECREF(made);
  return nullptr;
}

PyObject* BeginCapture(PyObject* /*module*/, PyObject* arguments) {
  const char* name = nullptr;
  int fuses = 0;
  if (PyArg_ParseTuple(arguments, "sp", &name, &fuses) == 0) return nullptr;
  auto capture =
      std::make_unique<Capture>(Capture{nullptr, PyList_New(0), PyThread_get_thread_ident()});
  if (capture->kept == nullptr) return nullptr;
  const uint32_t flags = HOLOGRAM_CAPTURE_KEPT | (fuses != 0 ? 0 : HOLOGRAM_CAPTURE_SEPARATE);
  if (!Succeeded(hologram_capture_begin(name, flags, &capture->native))) {
    Py_DECREF(capture->kept);
    return nullptr;
  }
  PyObject* capsule = PyCapsule_New(capture.get(), kCapture, DestroyCapture);
  if (capsule == nullptr) {
    hologram_capture_destroy(capture->native);
    Py_DECREF(capture->kept);
    return nullptr;
  }
  Captures()[capture->thread] = capture.get();
  is_any = true;
  capture.release();
  return capsule;
}

PyObject* AddCaptureArray(PyObject* /*module*/, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* object = nullptr;
  hologram_pipeline_array array{};
  int is_output = 0;
  if (PyArg_ParseTuple(arguments, "OsIpO", &capsule, &array.name, &array.type, &is_output,
                       &object) == 0) {
    return nullptr;
  }
  NumpyArray found;
  const Capture* capture = CaptureOf(capsule);
  if (capture == nullptr) return nullptr;
  if (!ReadNumpyArray(object, found) || !found.contiguous || found.rank > HOLOGRAM_MAX_RANK) {
    Refuse("capture", "expected an array without gaps, of up to four dimensions");
    return nullptr;
  }
  array.direction = is_output != 0 ? HOLOGRAM_OUT : HOLOGRAM_IN;
  array.rank = static_cast<uint32_t>(found.rank);
  std::copy(found.extents, found.extents + found.rank, array.extents);
  if (!Succeeded(hologram_capture_array(capture->native, &array, found.data))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* KeepCaptureArray(PyObject* /*module*/, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* object = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &capsule, &object) == 0) return nullptr;
  const Capture* capture = CaptureOf(capsule);
  if (capture == nullptr || !Keep(capture, object)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* EndCapture(PyObject* /*module*/, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* empty = nullptr;
  if (PyArg_ParseTuple(arguments, "OO", &capsule, &empty) == 0) return nullptr;
  Capture* capture = CaptureOf(capsule);
  if (capture == nullptr) return nullptr;
  Close(capture);
  hologram_pipeline* pipeline = nullptr;
  hologram_error* error = nullptr;
  Py_BEGIN_ALLOW_THREADS;  // it runs all launches once more
  error = hologram_capture_end(capture->native, &pipeline);
  Py_END_ALLOW_THREADS;
  if (!Succeeded(error)) return nullptr;
  return NewPipeline(pipeline, empty);
}

}  // namespace hologram::python
