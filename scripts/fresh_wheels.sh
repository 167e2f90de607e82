#!/usr/bin/env bash
# What `make wheels` and `make package` wrote, as a stranger has it: in a bare Debian 12 with Python, NumPy and
# Jupyter, without a compiler, pip installs the wheels and kernels of the user, also in a notebook, run natively;
# in one with g++ and CMake, the lines of README.md install, its commands and those of pages run,
# examples/standalone is built against the wheel, the .tar.gz and the .deb, and pip builds the sdist, which names
# what is missing. Ends with 1 if one fails. `fresh_wheels.sh sdist` is the last of these alone.
# Needs root; nothing in the roots reaches a network: NumPy comes from the index of the caller's pip. Sources,
# proxy and certificates of apt are the caller's. Without files in dist/ it makes them first.
# usage: fresh_wheels.sh [sdist] [--folder DIR] [--keep]
#   --folder DIR   where the roots are made (${TMPDIR:-/tmp}/hologram-fresh-wheels; 2 GB)
#   --keep         leave the roots there, to look around: chroot DIR/python
set -euo pipefail
cd "$(dirname "$0")/.."
suite=bookworm
tree=$PWD
folder=${TMPDIR:-/tmp}/hologram-fresh-wheels
keep=false
only=

fail() { echo "fresh_wheels: error: $*" >&2; exit 1; }
usage() { sed -n 's/^# usage: /usage: /p; s/^#   -/  -/p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --folder) [ $# -gt 1 ] || usage; folder=$2; shift ;;
    --keep) keep=true ;;
    sdist) only=sdist ;;
    *) usage ;;
  esac
  shift
done
[ "$(id -u)" -eq 0 ] || fail "roots are made and entered by root"
compgen -G "$tree/dist/*.whl" >/dev/null || make wheels
for package in "*.deb" "*-linux-*.tar.gz"; do
  [ "$only" = sdist ] || compgen -G "$tree/dist/$package" >/dev/null || make package
done

# A mount and a process namespace of our own, as in fresh.sh: nothing is left mounted or running.
if [ "${HOLOGRAM_FRESH_INSIDE:-}" != yes ]; then
  options=(--folder "$folder")
  if $keep; then options+=(--keep); fi
  if [ -n "$only" ]; then options+=("$only"); fi
  HOLOGRAM_FRESH_INSIDE=yes exec unshare --mount --pid --fork --kill-child --mount-proc \
    "$tree/scripts/fresh_wheels.sh" "${options[@]}"
fi
command -v mmdebstrap >/dev/null ||
  { apt-get update -q && apt-get install -y -q --no-install-recommends mmdebstrap; } >/dev/null ||
  fail "mmdebstrap could not be installed"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# What the README's `pip install numpy` finds, and what pip builds the sdist with: roots have the Python of Debian 12.
packages=$folder/packages
rm -rf "$packages"
"$tree/build/venv/bin/python" -m pip download -q --only-binary :all: --python-version 3.11 \
  -d "$packages" numpy scikit-build-core nanobind ninja || fail "pip could not download what the roots need"

make_root() { # NAME PACKAGES
  local root=$folder/$1 mirror=() file
  if grep -qs "^VERSION_CODENAME=$suite\$" /etc/os-release; then
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
      if [ -s "$file" ] && grep -q "$suite" "$file"; then mirror+=("$file"); fi
    done
  fi
  apt-config dump Acquire >"$folder/apt.conf"
  rm -rf "$root"
  mmdebstrap --quiet --mode=root --variant=minbase --include="$2" --aptopt="$folder/apt.conf" \
    "$suite" "$root" "${mirror[@]}" >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; fail "mmdebstrap failed"; }
  mkdir -p "$root/dist" "$root/test/tests/docs" "$root/packages"
  cp "$tree"/dist/* "$root/dist/"
  cp -r "$tree/examples/standalone" "$root/test/standalone"
  cp "$tree"/tests/wheels/*.py "$tree/python/tests/test_notebook.py" "$root/test/"
  cp "$tree/tests/docs/page_test.py" "$root/test/tests/docs/"
  cp "$tree/README.md" "$tree"/docs/{tutorial,python,cpp}.md "$root/test/"
  cp "$packages"/* "$root/packages/"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
}

enter() { # NAME COMMAND...
  local root=$folder/$1
  shift
  chroot "$root" env -i HOME=/root TERM=dumb PATH=/env/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

drop() { # NAME
  umount -R "$folder/$1/dev" "$folder/$1/proc"
  if ! $keep; then rm -rf "${folder:?}/$1"; fi
}

build_standalone() { # NAME BUILD PREFIX
  enter "$1" sh -ec "cmake -S /test/standalone -B /test/$2 -DCMAKE_PREFIX_PATH=$3
    cmake --build /test/$2 && /test/$2/blur" >"$folder/$2.log" 2>&1 ||
    { tail -n 30 "$folder/$2.log"; fail "examples/standalone with $2 failed"; }
  grep -q '^0 0 0 0 0.25 0.75 1 1 1 0 *$' "$folder/$2.log" || fail "examples/standalone with $2 printed something else"
  echo "fresh_wheels: examples/standalone with the $2: built and run"
}

# The sdist in the root of g++ and CMake, without LLVM: hg.ops is interpreted there, as the user's kernels are.
install_sdist() { # NAME COMMAND...
  local name=$1
  shift
  enter cxx env PIP_NO_INDEX=1 PIP_FIND_LINKS=/packages CMAKE_BUILD_PARALLEL_LEVEL="$(nproc)" "$@" \
    sh -c '/sdist/bin/pip install -q $(ls /dist/hologram-*.tar.gz | grep -v -e -linux-)' >"$folder/$name.log" 2>&1
}
build_sdist() {
  local start=$SECONDS
  enter cxx sh -ec "python3 -m venv /sdist; /sdist/bin/pip install -q --no-index --find-links /packages numpy
    mv /usr/include/nlohmann /nlohmann"
  if install_sdist sdist-without env; then fail "the sdist was built without nlohmann/json.hpp"; fi
  grep -q "nlohmann/json.hpp is not found; Debian's package nlohmann-json3-dev has it" "$folder/sdist-without.log" ||
    { tail -n 30 "$folder/sdist-without.log"; fail "pip install of the sdist does not name what is missing"; }
  enter cxx mv /nlohmann /usr/include/nlohmann
  if install_sdist sdist-without env CXX=/no-compiler; then fail "the sdist was built without a compiler"; fi
  grep -q "no-compiler" "$folder/sdist-without.log" ||
    { tail -n 30 "$folder/sdist-without.log"; fail "pip install of the sdist does not say that there is no compiler"; }
  install_sdist sdist env || { tail -n 30 "$folder/sdist.log"; fail "pip install of the sdist failed"; }
  enter cxx /sdist/bin/python /test/first_kernel.py source
  echo "fresh_wheels: pip built the sdist in $((SECONDS - start)) s, and its errors name what is missing"
}
make_cxx() {
  make_root cxx python3,python3-venv,python3-dev,g++,cmake,make,nlohmann-json3-dev
}
if [ "$only" = sdist ]; then
  echo "fresh_wheels: a bare Debian 12 with g++, CMake and make"
  make_cxx
  build_sdist
  drop cxx
  exit
fi

echo "fresh_wheels: a bare Debian 12 with Python, no compiler, no LLVM"
make_root python python3,python3-venv,python3-numpy,python3-pytest,python3-nbclient,python3-ipykernel
if enter python sh -c 'command -v cc || command -v g++ || ls /usr/lib/*/libLLVM*' 2>/dev/null; then
  fail "the root has a compiler or LLVM"
fi
enter python python3 -m venv --system-site-packages /env
enter python pip install -q --no-index --only-binary :all: --find-links /dist hologram
enter python python3 /test/first_kernel.py interpreted
enter python pip install -q --no-index --only-binary :all: --find-links /dist hologram-jit
enter python python3 /test/first_kernel.py native
enter python sh -ec 'cd /test && hologram compile standalone/blur.py -o blur.holo && hologram verify standalone/blur.py' >/dev/null
echo "fresh_wheels: the command compiles"
enter python sh -ec 'cd /test && python3 -c "import numpy as n; n.save(\"a.npy\", n.ones(5, \"f4\"))" &&
  hologram kernels vector_add && hologram run vector_add --in a=a.npy --in b=a.npy --out c=c.csv:f32:5 --set n=5 &&
  grep -qx 2 c.csv'
enter python python3 -m pytest -q -rs -p no:cacheprovider /test/test_notebook.py
enter python python3 /test/start_times.py
drop python

echo "fresh_wheels: one with g++, CMake and make"
make_cxx
# The lines of README.md, as they are.
install=$(sed -n '/^## Install/,/^## /{/^```$/,/^```$/{/^```/d;p}}' README.md)
enter cxx env PIP_NO_INDEX=1 PIP_FIND_LINKS=/packages sh -ec "$install" >"$folder/install.log" 2>&1 ||
  { tail -n 30 "$folder/install.log"; fail "the lines of README.md that install failed"; }
echo "fresh_wheels: the lines of README.md installed the wheels"
enter cxx env PREFIX="$(enter cxx python3 -m hologram --prefix)" python3 /test/tests/docs/page_test.py \
  /env/bin/hologram /test/README.md /test/tutorial.md /test/python.md /test/cpp.md --module installed
build_standalone cxx wheel "$(enter cxx python3 -m hologram --prefix)"
enter cxx sh -ec 'mkdir /test/unpacked && tar -xzf /dist/hologram-*-linux-*.tar.gz -C /test/unpacked --strip-components=1'
build_standalone cxx tar.gz /test/unpacked
rm -r "$folder/cxx/test/unpacked" "$folder/cxx/env"
enter cxx sh -ec 'dpkg -i /dist/*.deb' >/dev/null
build_standalone cxx deb /usr
enter cxx sh -ec 'dpkg -r hologram && ! [ -e /usr/share/hologram ]' >/dev/null || fail "dpkg -r hologram leaves files"
build_sdist
drop cxx
scripts/pythons.sh
