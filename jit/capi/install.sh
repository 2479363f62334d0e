#!/bin/sh
# Installs what `cargo build --release -p picaflor-capi` made: header, shared and static library, picaflor.pc for
# pkg-config, PicaflorConfig.cmake for CMake.
#
#   jit/capi/install.sh [-s] PREFIX [FOLDER OF THE LIBRARIES]
#
# -s: without debugging information, a fifth of the size of the shared library
set -eu
stripped=
if [ "${1:-}" = -s ]; then
    stripped=yes
    shift
fi
[ $# -ge 1 ] || { echo "usage: $0 [-s] PREFIX [FOLDER OF THE LIBRARIES]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
libraries=${2:-$here/../../target/release}
mkdir -p "$1/include" "$1/lib/pkgconfig" "$1/lib/cmake/Picaflor"
prefix=$(cd "$1" && pwd)
version=$(sed -n 's/^#define PICAFLOR_VERSION "\(.*\)"$/\1/p' "$here/include/picaflor.h")
abi=$(sed -n 's/^#define PICAFLOR_ABI \([0-9]*\)$/\1/p' "$here/include/picaflor.h")

install -m 644 "$here/include/picaflor.h" "$prefix/include/"
install -m 644 "$libraries/libpicaflor.a" "$prefix/lib/"
case $(uname -s) in
Darwin)
    private="-lpthread -lm"
    shared=libpicaflor.$abi.dylib
    install -m 755 "$libraries/libpicaflor.dylib" "$prefix/lib/$shared"
    ln -sf "libpicaflor.$abi.dylib" "$prefix/lib/libpicaflor.dylib"
    ;;
*)
    private="-lpthread -lm -ldl"
    shared=libpicaflor.so.$version
    install -m 755 "$libraries/libpicaflor.so" "$prefix/lib/$shared"
    ln -sf "libpicaflor.so.$version" "$prefix/lib/libpicaflor.so.$abi"
    ln -sf "libpicaflor.so.$abi" "$prefix/lib/libpicaflor.so"
    ;;
esac
if [ -n "$stripped" ]; then
    strip -S "$prefix/lib/$shared" "$prefix/lib/libpicaflor.a"
fi
sed -e "s|@PREFIX@|$prefix|; s|@VERSION@|$version|; s|@PRIVATE@|$private|" "$here/picaflor.pc.in" \
    >"$prefix/lib/pkgconfig/picaflor.pc"
install -m 644 "$here/PicaflorConfig.cmake" "$prefix/lib/cmake/Picaflor/"
