#!/bin/sh
# A header as Doxygen reads it: its plain comments are the documentation. The first one is that of the file; lines
# like "---- Errors" are headings between declarations and stay plain. usage: doxygen_filter.sh FILE
exec sed -e '1s#^/\* #/** @file #' -e '1s#^// #/// @file #' \
  -e '/----/!s#^\( *\)/\* #\1/** #' -e '/----/!s#^\( *\)// #\1/// #' \
  -e 's#\([;,]\)\( *\)/\* #\1\2/**< #' -e 's#\([;,]\)\( *\)// #\1\2///< #' "$1"
