#include "observe_call.h"

#include <algorithm>

#include "arrays.h"
#include "kernel_object.h"

namespace hologram::python {

void CountSizes(const hologram_launch_plan& plan, const hologram_buffer_ref* buffers) {
  uint64_t bytes = 0;
  uint64_t elements = 0;
  // By HOLOGRAM_I8 to HOLOGRAM_F64.
  constexpr uint8_t kLogSize[] = {0, 1, 2, 3, 0, 1, 2, 3, 1, 1, 2, 3};
  for (uint32_t k = 0; k < plan.num_parameters; ++k) {
    if ((plan.codes[k] & kBuffer) == 0) continue;
    bytes += buffers->bytes;
    elements = std::max(elements, buffers->bytes >> kLogSize[plan.codes[k] & 15]);
    ++buffers;
  }
  hologram_inline_counts& counts = hologram_inline_counts_of_thread;
  const auto add = [](uint64_t& count, uint64_t amount) {
    __atomic_store_n(&count, __atomic_load_n(&count, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
  };
  add(counts.bytes, bytes);
  add(counts.elements, elements);
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
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(k), row);
    }
  }
  hologram_metrics_destroy(metrics);
  return list;
}

}  // namespace hologram::python
