// The part of hologram.h about places where kernels are found, and what is there. Tested by
// tests/capi.
#include <memory>
#include <string>
#include <vector>

#include "capi/error.h"
#include "capi/executor_handle.h"
#include "capi/guard.h"

using hologram::Diagnostic;
using hologram::Status;
using hologram::capi::FromException;
using hologram::capi::MakeError;
using hologram::runtime::ListedKernel;
using hologram::runtime::Listing;
using hologram::runtime::Origin;

static_assert(HOLOGRAM_ORIGIN_BUILT_IN == static_cast<int>(Origin::kBuiltIn));
static_assert(HOLOGRAM_ORIGIN_USER == static_cast<int>(Origin::kUser));

struct hologram_listing {
  Listing listing;
  std::vector<hologram_listed_kernel> kernels;  // point into `listing`
  std::vector<std::string> errors;
};

hologram_error* hologram_executor_add_directory(hologram_executor* executor, const char* path) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(path);
  const Status status = executor->executor.AddDirectory(path);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_add_native_directory(hologram_executor* executor,
                                                       const char* path) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(path);
  const Status status = executor->executor.AddDirectory(path, true);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_trust(hologram_executor* executor, const char* hash) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(hash);
  const Status status = executor->executor.Trust(hash);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_list(hologram_executor* executor,
                                       hologram_listing** listing) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(listing);
  std::unique_ptr<hologram_listing> made(new hologram_listing{executor->executor.List(), {}, {}});
  for (const ListedKernel& kernel : made->listing.kernels) {
    made->kernels.push_back({kernel.name.c_str(), kernel.id.c_str(), kernel.file.c_str(),
                             kernel.shadowed ? kernel.shadowed_by.c_str() : nullptr,
                             static_cast<uint32_t>(kernel.origin)});
  }
  for (const Diagnostic& error : made->listing.errors) made->errors.push_back(ToString(error));
  *listing = made.release();
  return nullptr;
} catch (...) {
  return FromException();
}

size_t hologram_listing_num_kernels(const hologram_listing* listing) {
  if (listing == nullptr) return 0;
  return listing->kernels.size();
}

const hologram_listed_kernel* hologram_listing_kernel(const hologram_listing* listing,
                                                      size_t index) {
  if (listing == nullptr) return nullptr;
  return index < listing->kernels.size() ? &listing->kernels[index] : nullptr;
}

size_t hologram_listing_num_errors(const hologram_listing* listing) {
  if (listing == nullptr) return 0;
  return listing->errors.size();
}

const char* hologram_listing_error(const hologram_listing* listing, size_t index) {
  if (listing == nullptr) return nullptr;
  return index < listing->errors.size() ? listing->errors[index].c_str() : nullptr;
}

void hologram_listing_destroy(hologram_listing* listing) {
  delete listing;
}
