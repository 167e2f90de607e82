#!/usr/bin/env bash
# The site, its engine and their tests (docs/site.md). It needs Debian's packages for WebAssembly and a browser, Node,
# PyPI for MkDocs and npm for Pyodide; where something cannot be installed it says so and exits with 77. NumPy for the
# programs of the pages is from PyPI; without it the site is built all the same, and says so where a program needs it.
# usage: site.sh engine   build/web/hologram.wasm, and its size
#        site.sh build [without-numpy]    the site in build/site, which any server of files can serve
#        site.sh test     the engine against native code, the links of the site, the page in a browser
set -euo pipefail
cd "$(dirname "$0")/.."
wasm=build/web/hologram.wasm
library=build/web/hologram-library.wasm # for Python programs
hologram=build/release/bin/hologram
python=$PWD/build/venv/bin/python
most_bytes=800000 # compressed, without Python

engine_packages=(clang-19 lld-19 llvm-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32
                 libclang-rt-19-dev-wasm32)

skip() { echo "site: SKIPPED, $*"; exit 77; }

install_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" -eq 0 ] || skip "these packages are missing: ${missing[*]}"
  apt-get update -q >build/site-setup.log 2>&1 || true
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" \
    >>build/site-setup.log 2>&1 || skip "these packages cannot be installed: ${missing[*]}"
}

need_node() {
  command -v node >/dev/null || install_packages nodejs
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "it needs Node 20 or later"
}

build_engine() {
  mkdir -p build
  install_packages "${engine_packages[@]}"
  cmake -G Ninja -S web -B build/web -DCMAKE_BUILD_TYPE=Release -DHOLOGRAM_WERROR=ON \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/web/engine/toolchain.cmake" >build/web.log 2>&1 || { cat build/web.log; exit 1; }
  cmake --build build/web >build/web.log 2>&1 || { tail -n 40 build/web.log; exit 1; }
  local bytes compressed
  bytes=$(stat -c %s $wasm) compressed=$(gzip -9 -c $wasm | wc -c)
  echo "engine: $bytes bytes, $compressed compressed"
  [ "$compressed" -le $most_bytes ] || { echo "engine: more than $most_bytes bytes compressed"; exit 1; }
}

build_native() {
  scripts/venv.sh
  [ -e build/release/build.ninja ] || cmake --preset release -DPython3_EXECUTABLE="$python" >build/site-native.log
  cmake --build build/release --target hologram_cli hologram_jit hologram_stdlib >build/site-native.log 2>&1 ||
    { tail -n 40 build/site-native.log; exit 1; }
}

# Pyodide as npm has it, whose hash is in web/package-lock.json.
install_pyodide() {
  need_node
  local state
  state=$(sha256sum <web/package-lock.json)
  [ "$(cat build/web-packages/made-from 2>/dev/null)" = "$state" ] && return
  command -v npm >/dev/null || skip "npm is missing"
  rm -rf build/web-packages
  mkdir -p build/web-packages
  cp web/package.json web/package-lock.json build/web-packages/
  npm ci --prefix build/web-packages --ignore-scripts --no-audit --no-fund --silent >build/site-npm.log 2>&1 ||
    skip "npm cannot install Pyodide (build/site-npm.log)"
  echo "$state" >build/web-packages/made-from
}

# NumPy as Pyodide's developers have built it. No registry has its file by itself: it is taken out of a package of PyPI
# that brings it along, and its hash must be that of Pyodide's own lock file. Without it the site has fewer programs.
install_numpy() {
  local file carrier=build/web-packages/carrier folder=build/web-packages/node_modules/pyodide
  file=$(node -p "require('./$folder/pyodide-lock.json').packages.numpy.file_name")
  numpy=$folder/$file
  [ -e "$numpy" ] && return
  rm -rf $carrier
  if "$python" -m pip download --quiet --no-deps --ignore-requires-python --only-binary :all: --require-hashes \
    -r web/numpy.lock -d $carrier >build/site-numpy.log 2>&1; then
    "$python" web/numpy_of.py $carrier/*.whl "$folder/pyodide-lock.json" "$folder"
  else
    numpy=
    echo "site: PyPI does not have NumPy for Pyodide (build/site-numpy.log); programs that need it are not run"
  fi
  rm -rf $carrier
}

# The page and all that it loads. $1: a folder
build_playground() {
  mkdir -p "$1/pyodide"
  cp web/hologram*.js $wasm $library web/playground/*.{js,css,html} "$1"
  (cd build/web-packages/node_modules/pyodide && cp pyodide.mjs pyodide.asm.mjs pyodide.asm.wasm "$OLDPWD/$1/pyodide")
  [ -z "$numpy" ] || cp "$numpy" "$1/pyodide"
  "$python" web/pyodide_lock.py build/web-packages/node_modules/pyodide/pyodide-lock.json "$1/pyodide"
  "$python" web/build_programs.py $hologram $wasm "$1" build/site-frontend.json build/site-pages/gallery
  node web/python_code.mjs build/web-packages/node_modules/pyodide build/site-frontend.json "$1/pyodide/library.zip" \
    >build/site-python.log
  "$python" web/package.py $hologram build/release/lib/hologram/stdlib.holo "$1"
  "$python" web/live.py $hologram "$1" --pictures build/site-pages/gallery
}

# $1: a folder
copy_fonts() {
  local font
  mkdir -p "$1"
  for font in noto-sans-latin-400 noto-sans-latin-600 noto-sans-mono-latin-400; do
    cp "build/web-packages/node_modules/@fontsource/${font%-latin-*}/files/$font-normal.woff2" "$1"
  done
  cp web/theme/fonts.css "$1"
}

numpy= # its file, if the site has it

build_site() {
  build_engine
  build_native
  install_pyodide
  [ "${1:-}" = without-numpy ] || install_numpy
  scripts/venv.sh site || skip "MkDocs cannot be installed"
  install_packages doxygen
  rm -rf build/site build/site-pages
  mkdir -p build/site-pages/gallery build/site-pages/playground build/site-pages/reference
  copy_fonts build/site-pages/fonts
  build_playground build/site-pages/playground
  "$python" web/pages.py build/site-pages
  "$python" web/operations.py $hologram build/site-pages >build/site-operations.log
  doxygen web/Doxyfile >build/doxygen.log 2>&1 || { tail -n 20 build/doxygen.log; exit 1; }
  mv build/doxygen/html build/site-pages/reference/cpp
  PYTHONPATH=python NO_MKDOCS_2_WARNING=1 build/site-venv/bin/mkdocs build --quiet --strict
  echo "site: build/site, $(du -sk build/site | cut -f1) KiB; python3 -m http.server --directory build/site"
}

test_site() {
  build_site
  cmake --build build/release --target hologram hologram_python >build/site-native.log 2>&1
  local name
  for name in engine parts compiled; do
    HOLOGRAM=$PWD/$hologram HOLOGRAM_WASM=$PWD/$wasm node --test web/tests/${name}_test.mjs >build/site-engine.log ||
      { cat build/site-engine.log; exit 1; }
  done
  "$python" web/tests/kernels_test.py $hologram build/release/lib/libhologram.so $wasm
  "$python" web/tests/compiled_test.py $hologram build/release/lib/libhologram.so $wasm
  "$python" web/tests/hosts_test.py build/site
  "$python" web/tests/operations_test.py $hologram build/site
  "$python" web/tests/examples_test.py $wasm build/site
  "$python" web/tests/without_numpy_test.py build/site
  "$python" web/tests/programs_test.py build/site
  install_packages chromium
  "$python" web/tests/browser_test.py $hologram $wasm build/site
  "$python" web/tests/live_test.py build/site
  "$python" web/tests/speeds.py $hologram build/site
}

case "${1:-}" in
  engine) build_engine ;;
  build) build_site "${2:-}" ;;
  test) test_site ;;
  *) echo "usage: site.sh engine | build [without-numpy] | test" >&2; exit 2 ;;
esac
