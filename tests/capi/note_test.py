"""Python warns of native code that was compiled for another native ABI.

usage: note_test.py BUNDLE TRUST
"""

import re
import sys
import warnings

import hologram as hg


def main() -> int:
    bundle, trust = sys.argv[1:]
    expected = (
        r"kernel 'vector_add': section 7 \(native code of 'vector_add' for x86-64-v2\) was compiled "
        r"for version 6 of the native ABI and is not used by this library, which has version \d+; "
        r"it (was compiled again|is interpreted)"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel = hg.load(bundle, expect=trust).vector_add
        path = kernel.path
    texts = [str(warning.message) for warning in caught]
    print(path, texts)
    if len(texts) != 1 or not re.fullmatch(expected, texts[0]):
        return 1
    if caught[0].category is not RuntimeWarning or path.startswith("native (bundle"):
        return 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            hg.load(bundle, expect=trust).vector_add.path  # noqa: B018
        except RuntimeWarning:
            return 0
    print("as an error, the warning is not raised")
    return 1


if __name__ == "__main__":
    sys.exit(main())
