#!/usr/bin/env bash
# `make run`, `make test` and, if asked for, the other front doors as a stranger has them: each in a bare Debian
# 12 with git and make, where an empty virtual environment comes first in the path. `make fuzz` has one minute.
# Prints how long each took without installing; ends with 1 if one fails, or if anything called the `python3`
# of that environment. Needs root. What is not committed is not tested. The mirror, proxy, certificates and settings of apt and pip are the caller's.
# usage: fresh.sh [run|test|wheels|package|bench|fuzz]... [--folder DIR] [--ccache] [--keep] [--jobs N]
#   --folder DIR   where the roots are made (${TMPDIR:-/tmp}/hologram-fresh; 6 GB)
#   --ccache       share the caller's compiler cache, for a quick check; times are then not those of a stranger
#   --keep         leave the roots there, to look around: chroot DIR/test
set -euo pipefail
cd "$(dirname "$0")/.."
suite=bookworm
tree=$PWD
folder=${TMPDIR:-/tmp}/hologram-fresh
doors=() ccache=false keep=false jobs=$(nproc)

fail() { echo "fresh: error: $*" >&2; exit 1; }
usage() { sed -n 's/^# usage: /usage: /p; s/^#   -/  -/p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    run | test | wheels | package | bench | fuzz) doors+=("$1") ;;
    --folder) [ $# -gt 1 ] || usage; folder=$2; shift ;;
    --jobs) [ $# -gt 1 ] || usage; jobs=$2; shift ;;
    --ccache) ccache=true ;;
    --keep) keep=true ;;
    *) usage ;;
  esac
  shift
done
[ ${#doors[@]} -gt 0 ] || doors=(run test)
[ "$(id -u)" -eq 0 ] || fail "roots are made and entered by root"

# A mount namespace of our own: what is mounted in the roots is gone when this process is, however it
# ends, and a process namespace, so that nothing goes on running there.
if [ "${HOLOGRAM_FRESH_INSIDE:-}" != yes ]; then
  options=("${doors[@]}" --folder "$folder" --jobs "$jobs")
  $ccache && options+=(--ccache)
  $keep && options+=(--keep)
  HOLOGRAM_FRESH_INSIDE=yes unshare --mount --pid --fork --kill-child --mount-proc \
    "$tree/scripts/fresh.sh" "${options[@]}" &
  child=$!
  # unshare itself ignores both; with it end all processes inside, and their mounts.
  trap 'kill -KILL $child 2>/dev/null; exit 130' INT TERM
  wait $child
  exit $?
fi

if ! command -v mmdebstrap >/dev/null; then
  echo "fresh: installing mmdebstrap"
  { apt-get update -q && apt-get install -y -q --no-install-recommends mmdebstrap; } >/dev/null ||
    fail "mmdebstrap could not be installed"
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
base=$folder/base
[ -z "$(git -c safe.directory='*' status --porcelain)" ] || echo "fresh: the tree has changes that are not committed; they are not tested"

# The caller's settings: variables, and the files that they and the tools name.
settings=() files=(/etc/pip.conf /etc/hosts /etc/resolv.conf)
while IFS='=' read -r -d '' name value; do
  case $name in
    PIP_FIND_LINKS) [ -e "$value" ] || continue ;; # a folder of this machine
    PIP_* | *_proxy | *_PROXY | SSL_CERT_* | *CA_BUNDLE* | *CAINFO* | *CA_CERTS*) ;;
    *) continue ;;
  esac
  settings+=("$name=$value")
  [ -f "$value" ] && files+=("$value")
done < <(env -0)
pip_user=${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf

# The caller's /dev and compiler cache lie in a root while it is used.
remove() {
  if grep -qF " $1/" /proc/self/mountinfo; then fail "$1 has mounts, it stays"; fi
  rm -rf "$1"
}

make_base() {
  local start=$SECONDS mirror=() acquire=$folder/apt.conf
  # Sources of another release or system would make another root: the tool's own are taken then.
  if grep -qs "^VERSION_CODENAME=$suite\$" /etc/os-release; then
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
      if [ -s "$file" ] && grep -q "$suite" "$file"; then mirror+=("$file"); fi
    done
  fi
  apt-config dump Acquire >"$acquire"
  remove "$base"
  echo "fresh: making a bare Debian 12 ($suite)"
  mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates,git,make \
    --aptopt="$acquire" "$suite" "$base" "${mirror[@]}" >"$folder/base.log" 2>&1 ||
    { tail -n 20 "$folder/base.log" >&2; fail "mmdebstrap failed"; }
  for file in "${files[@]}"; do
    [ -f "$file" ] || continue
    mkdir -p "$base$(dirname "$file")"
    rm -f "$base$file"
    cat "$file" >"$base$file"
  done
  if [ -f "$pip_user" ]; then install -D "$pip_user" "$base/root/.config/pip/pip.conf"; fi
  if compgen -G '/usr/local/share/ca-certificates/*' >/dev/null; then
    cp -r /usr/local/share/ca-certificates/. "$base/usr/local/share/ca-certificates/"
  fi
  # The empty environment. Its python3 notes who calls it: nobody should.
  mkdir -p "$base/empty-venv/bin"
  printf 'home = /usr/bin\ninclude-system-site-packages = false\n' >"$base/empty-venv/pyvenv.cfg"
  ln -s /usr/bin/python3 "$base/empty-venv/bin/real-python3"
  printf '#!/bin/sh\n%s\nexec /empty-venv/bin/real-python3 "$@"\n' \
    'echo "$0 $* (from $(tr "\\0" " " </proc/$PPID/cmdline))" >>/empty-venv/calls' \
    >"$base/empty-venv/bin/python3"
  chmod +x "$base/empty-venv/bin/python3"
  ln -s python3 "$base/empty-venv/bin/python"
  echo "fresh: bare Debian made in $((SECONDS - start)) s"
}

enter() { # ROOT COMMAND...
  local root=$1
  shift
  chroot "$root" env -i HOME=/root TERM=dumb VIRTUAL_ENV=/empty-venv \
    PATH=/empty-venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${settings[@]}" "$@"
}

open_door() { # run|test|...
  local door=$1 root=$folder/$1 log=$folder/$1.log
  remove "$root"
  cp -a "$base" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  # As deep as the checkout: with --ccache, paths relative to its parent are those of the caller's builds.
  git -c safe.directory='*' clone -q --no-hardlinks "$tree" "$root/src/hologram"
  if $ccache; then
    command -v ccache >/dev/null || fail "--ccache: ccache is not installed here"
    enter "$root" sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends ccache' >"$log" 2>&1 ||
      { tail -n 20 "$log" >&2; fail "ccache could not be installed in $root"; }
    mkdir -p "$root/ccache"
    mount --bind "$(ccache --get-config cache_dir)" "$root/ccache"
    # ccache counts the language of messages as input.
    settings+=(${LANG:+"LANG=$LANG"} CCACHE_DIR=/ccache CCACHE_BASEDIR=/src CCACHE_NOHASHDIR=1
      "CCACHE_SLOPPINESS=$(ccache --get-config sloppiness)" "CCACHE_MAXSIZE=$(ccache --get-config max_size)")
  fi
  echo "fresh: make $door, log in $log"
  local start=$SECONDS status=0 installing
  enter "$root" make -C /src/hologram "$door" JOBS="$jobs" MINUTES=1 >"$log" 2>&1 </dev/null || status=$?
  local took=$((SECONDS - start))
  installing=$(sed -n 's/^installed .* in \([0-9]*\) s$/\1/p' "$log" | paste -sd+)
  installing=$((${installing:-0}))
  if [ $status -ne 0 ]; then
    tail -n 40 "$log"
    echo "fresh: make $door FAILED with $status after $took s"
  else
    grep -E '^[0-9]+% tests passed|^accuracy' "$log" | sed 's/^/fresh:   /'
    echo "fresh: make $door succeeded: $((took - installing)) s, and $installing s of installing"
  fi
  if [ -s "$root/empty-venv/calls" ]; then
    echo "fresh: make $door called the python3 of the user's environment:"
    sort "$root/empty-venv/calls" | uniq -c | sort -rn | head -n 20
    status=1
  fi
  umount -R "$root/dev" "$root/sys" "$root/proc"
  if $ccache; then umount "$root/ccache"; fi
  # A root that failed stays: one looks for the reason there.
  if [ $status -eq 0 ] && ! $keep; then remove "$root"; fi
  return $status
}

make_base
failed=0
for door in "${doors[@]}"; do
  # Not in an "or" list: there bash ignores set -e, and a failed step would go on.
  set +e
  (set -e; open_door "$door")
  [ $? -eq 0 ] || failed=1
  set -e
done
if ! $keep; then remove "$base"; fi
exit $failed
