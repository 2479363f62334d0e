#!/bin/sh
# Installs what `cargo build --release -p picaflor-capi` made: header for C and C++, shared and static library, picaflor.pc
# for pkg-config, files for CMake, licences; or removes all of it.
#
#   jit/capi/install.sh [-s | -g] [-l LIBDIR] PREFIX [FOLDER OF THE LIBRARIES]
#   jit/capi/install.sh -u [-l LIBDIR] PREFIX
#
# The static library is installed without debugging information, where there is `strip`; not that for Windows, which has
# members that `strip` refuses.
# -s: the shared library too, a fifth of its size
# -g: both with debugging information
# -l: folder of the libraries below PREFIX, `lib` if it is not given: lib64, lib/x86_64-linux-gnu
# FOLDER OF THE LIBRARIES: `target/release` of the workspace, or beside this script in a package of the registry
# -u: removes the files, and the folders that are empty then
#
# Libraries for Windows (MinGW: picaflor.dll and its import library), made here or by a cross-compiler, are recognised.
# The DLL goes to `bin`, where Windows looks for it beside programs.
#
# DESTDIR in the environment is put before PREFIX, for packages. Nothing that is installed names either: a prefix may be
# moved.
set -eu
stripped=
debugged=
removed=
libdir=lib
usage() {
    echo "usage: $0 [-s | -g | -u] [-l LIBDIR] PREFIX [FOLDER OF THE LIBRARIES]" >&2
    exit 2
}
while getopts sgul: option; do
    case $option in
    s) stripped=yes ;;
    g) debugged=yes ;;
    u) removed=yes ;;
    l) libdir=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
here=$(cd "$(dirname "$0")" && pwd)
built_in=$here/../../target/release
if [ -d "$here/target/release" ]; then built_in=$here/target/release; fi
libraries=${2:-$built_in}
prefix=${DESTDIR:-}$1
version=$(sed -n 's/^#define PICAFLOR_VERSION "\(.*\)"$/\1/p' "$here/include/picaflor.h")
abi=$(sed -n 's/^#define PICAFLOR_ABI \([0-9]*\)$/\1/p' "$here/include/picaflor.h")
cmake=$libdir/cmake/Picaflor
system=$(uname -s)
if [ -n "$removed" ]; then
    if [ -f "$prefix/bin/picaflor.dll" ]; then system=Windows; fi
elif [ -f "$libraries/picaflor.dll" ]; then
    system=Windows
fi
# Where the shared library goes, and what else a linker needs.
shared_in=$libdir
import=
case $system in
Windows)
    private="-lws2_32 -lntdll -luserenv"
    built=picaflor.dll
    shared=picaflor.dll
    links=
    shared_in=bin
    import=libpicaflor.dll.a
    ;;
Darwin)
    private="-lpthread -lm"
    built=libpicaflor.dylib
    shared=libpicaflor.$abi.dylib
    links=libpicaflor.dylib
    ;;
*)
    private="-lpthread -lm -ldl"
    built=libpicaflor.so
    shared=libpicaflor.so.$version
    links="libpicaflor.so.$abi libpicaflor.so"
    ;;
esac

if [ -n "$removed" ]; then
    for file in include/picaflor.h include/picaflor.hpp "$libdir/libpicaflor.a" "$shared_in/$shared" \
        ${import:+"$libdir/$import"} "$libdir/pkgconfig/picaflor.pc" "$cmake/PicaflorConfig.cmake" "$cmake/PicaflorConfigVersion.cmake" \
        share/licenses/picaflor/LICENSE-MIT share/licenses/picaflor/LICENSE-APACHE; do
        rm -f "$prefix/$file"
    done
    for link in $links; do rm -f "$prefix/$libdir/$link"; done
    for folder in "$cmake" "$libdir/cmake" "$libdir/pkgconfig" "$libdir" "$(dirname "$libdir")" "$shared_in" include \
        share/licenses/picaflor share/licenses share; do
        [ "$folder" = . ] || rmdir "$prefix/$folder" 2>/dev/null || true
    done
    exit 0
fi

for file in "libpicaflor.a" "$built" $import; do
    [ -f "$libraries/$file" ] || { echo "$0: there is no $libraries/$file: cargo build --release -p picaflor-capi" >&2; exit 1; }
done
mkdir -p "$prefix/include" "$prefix/$shared_in" "$prefix/$libdir/pkgconfig" "$prefix/$cmake" "$prefix/share/licenses/picaflor"
install -m 644 "$here/include/picaflor.h" "$here/include/picaflor.hpp" "$prefix/include/"
install -m 644 "$here/LICENSE-MIT" "$here/LICENSE-APACHE" "$prefix/share/licenses/picaflor/"
install -m 644 "$libraries/libpicaflor.a" "$prefix/$libdir/"
install -m 755 "$libraries/$built" "$prefix/$shared_in/$shared"
if [ -n "$import" ]; then install -m 644 "$libraries/$import" "$prefix/$libdir/"; fi
target=$shared
for link in $links; do
    ln -sf "$target" "$prefix/$libdir/$link"
    target=$link
done
if [ -n "$stripped" ]; then
    strip -S "$prefix/$shared_in/$shared"
fi
if [ -z "$debugged" ] && [ "$system" != Windows ] && command -v strip >/dev/null; then
    strip -S "$prefix/$libdir/libpicaflor.a"
fi

# Steps from a folder below the prefix up to it.
up() {
    echo "$1" | sed -e 's|[^/][^/]*|..|g'
}
fill() {
    sed -e "s|@PREFIX@|\${pcfiledir}/$(up "$libdir/pkgconfig")|; s|@UP@|$(up "$cmake")|; s|@LIBDIR@|$libdir|" \
        -e "s|@VERSION@|$version|; s|@PRIVATE@|$private|" "$1" >"$2"
}
fill "$here/picaflor.pc.in" "$prefix/$libdir/pkgconfig/picaflor.pc"
fill "$here/PicaflorConfig.cmake.in" "$prefix/$cmake/PicaflorConfig.cmake"
fill "$here/PicaflorConfigVersion.cmake.in" "$prefix/$cmake/PicaflorConfigVersion.cmake"
