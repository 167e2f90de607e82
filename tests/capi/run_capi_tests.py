"""Runs the C and the C++ test on a bundle with native code and on one without.

usage: run_capi_tests.py MAKE_BUNDLE C_TEST CPP_TEST UNLOAD_TEST LIBRARY NULL_TEST
"""

import os
import subprocess
import sys

# Each kind must take its own way: no plugin may make native code where the test expects none.
CASES = {"native": "native (bundle, v2)", "old": "interpreter", "plain": "interpreter"}


def main() -> int:
    make_bundle, c_test, cpp_test, unload_test, library, null_test = sys.argv[1:]
    folder = os.path.dirname(c_test)
    environment = dict(os.environ, HOLOGRAM_JIT="/nonexistent", HOLOGRAM_CUDA="/none.so")
    failed = False
    for kind, path in CASES.items():
        name = f"capi_test_{kind}.holo"
        bundle = os.path.join(folder, name)
        run = subprocess.run([make_bundle, bundle, kind], check=True, stdout=subprocess.PIPE)
        trust = run.stdout.decode().strip()
        for command in (
            [c_test, bundle, trust, path, name],
            [cpp_test, bundle, trust, path],
            [unload_test, library, bundle, trust],
            [null_test, bundle, trust],
        ):
            failed |= subprocess.run(command, env=environment).returncode != 0
        os.remove(bundle)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
