"""What libhologram.so promises from outside: its symbols, what it links, its size, and that no
function of it lets an exception or a null pointer through, or goes without the test in which
allocations fail.

usage: exports_test.py LIBRARY HEADERS EXPORTS_MAP NULL_TEST ALLOCATION_TESTS
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

MAX_BYTES = 5_000_000
# The C and C++ standard libraries and the loader, nothing else.
ALLOWED = re.compile(r"^(libc|libm|libstdc\+\+|libgcc_s|libdl|libpthread|ld-linux-[a-z0-9-]+)\.so")
# The names that debuggers look for (GDB's JIT interface).
# No functions.
VARIABLES = {"hologram_inline_counts_of_thread"}
DEBUGGERS = {"__jit_debug_descriptor", "__jit_debug_register_code"}
SANITIZER = re.compile(r"^lib(asan|ubsan|tsan)\.so")


# Functions that only look at what is there, or destroy it: nothing in them can throw.
CANNOT_THROW = {
    "hologram_backend_name",
    "hologram_boundary_class",
    "hologram_boundary_data",
    "hologram_boundary_destroy",
    "hologram_boundary_size",
    "hologram_bundle_data",
    "hologram_bundle_destroy",
    "hologram_bundle_size",
    "hologram_bundle_trust_hash",
    "hologram_cancel",
    "hologram_canonicalize",
    "hologram_device_address",
    "hologram_device_destroy",
    "hologram_device_place",
    "hologram_device_pointer",
    "hologram_device_size",
    "hologram_error_code",
    "hologram_error_column",
    "hologram_error_destroy",
    "hologram_error_fault",
    "hologram_error_file",
    "hologram_error_line",
    "hologram_error_message",
    "hologram_error_text",
    "hologram_executor_destroy",
    "hologram_find_backend",
    "hologram_is_canonical",
    "hologram_kernel_arguments",
    "hologram_kernel_cancel",
    "hologram_kernel_counts",
    "hologram_kernel_destroy",
    "hologram_kernel_id",
    "hologram_kernel_name",
    "hologram_kernel_note",
    "hologram_kernel_num_parameters",
    "hologram_kernel_parameter",
    "hologram_kernel_path",
    "hologram_kernel_resume",
    "hologram_listing_destroy",
    "hologram_listing_error",
    "hologram_listing_kernel",
    "hologram_listing_num_errors",
    "hologram_listing_num_kernels",
    "hologram_metrics_at",
    "hologram_metrics_destroy",
    "hologram_metrics_size",
    "hologram_pipeline_array_at",
    "hologram_pipeline_bytes",
    "hologram_pipeline_cancel",
    "hologram_pipeline_destroy",
    "hologram_pipeline_is_short",
    "hologram_pipeline_name",
    "hologram_pipeline_num_arrays",
    "hologram_pipeline_resume",
    "hologram_pipeline_text",
    "hologram_pool_data",
    "hologram_pool_destroy",
    "hologram_pool_size",
    "hologram_resume",
    "hologram_set_thread_limit",
    "hologram_span_begin",
    "hologram_text_destroy",
    "hologram_trace_is_on",
    "hologram_version",
}


def unguarded(sources: pathlib.Path, names: set[str]) -> list[str]:
    """Functions that are no function-try-block (src/capi/guard.h) and may throw."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(sources.glob("*.cc")))
    guarded = set(re.findall(r"^[^\s/][^;{}]*?\b(hologram_\w+)\([^;{}]*\) try \{$", text, re.M))
    return sorted(names - guarded - CANNOT_THROW) + sorted(guarded & CANNOT_THROW)


def called_in(names: list[str]) -> set[str]:
    text = "".join(pathlib.Path(name).read_text("utf-8") for name in names)
    return set(re.findall(r"\b(hologram_\w+)\(", text))


def output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


def main() -> int:
    library, headers, exports, null_test, allocation_tests = sys.argv[1:]
    text = "".join(pathlib.Path(name).read_text("utf-8") for name in headers.split(","))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    declared = set(re.findall(r"HOLOGRAM_API[^;(]*?(hologram_\w+)\(", text))
    with open(exports, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    listed = set(re.findall(r"^\s+(hologram_\w+);", text, flags=re.M))
    found = {
        line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()
    }
    listed -= VARIABLES
    found -= VARIABLES
    needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", library))
    errors = []
    if declared != listed:
        errors.append(f"the headers and exports.map differ: {sorted(declared ^ listed)}")
    if found != listed | DEBUGGERS:
        errors.append(f"the library and exports.map differ: {sorted(found ^ listed)}")
    if missing := unguarded(pathlib.Path(exports).parent, listed):
        errors.append(f"functions that may throw into their caller: {missing}")
    called = called_in([null_test])
    if listed - called:
        errors.append(f"functions that null_test.c does not call: {sorted(listed - called)}")
    called = called_in(allocation_tests.split(","))
    if missing := listed - CANNOT_THROW - called:
        errors.append(f"functions that may throw and no allocation test calls: {sorted(missing)}")
    foreign = [name for name in needed if not ALLOWED.match(name) and not SANITIZER.match(name)]
    if foreign:
        errors.append(f"the library links {foreign}")
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped.so")
        output("strip", "-o", stripped, library)
        size = os.path.getsize(stripped)
    if size > MAX_BYTES and not any(SANITIZER.match(name) for name in needed):
        errors.append(f"{size} bytes stripped, expected at most {MAX_BYTES}")
    print(f"{len(found)} symbols, {size} bytes stripped, links {', '.join(needed)}")
    for error in errors:
        print("FAIL", error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
