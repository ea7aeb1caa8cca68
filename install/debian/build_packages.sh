#!/bin/bash
# Makes Debian packages of what //install installs; the build gives the first two arguments:
#   build_packages.sh VERSION C_INTERFACE DIR
#
#   firstcall             the command
#   firstcall-mcjit       the library that takes MCJIT's place
#   firstcall-orc         the libraries for LLVM's ORC
#   libfirstcall0         the C interface
#   libfirstcall-cc0.1.0  the C++ interface
#   libfirstcall-dev      headers, and what build systems read
#
# They go to DIR. Needs dpkg-dev. DEBFULLNAME and DEBEMAIL name the maintainer, as for Debian's own programs
# (default: git's user), and SOURCE_DATE_EPOCH the time of the files.
set -euo pipefail

readonly VERSION=$1 INTERFACE=$2
# "_llvm22"; nothing for LLVM 19.
readonly OF_LLVM=${INTERFACE#"${INTERFACE%%_*}"}
LLVM=${OF_LLVM#_llvm}
readonly LLVM=${LLVM:-19}

die() {
  echo "build_packages: $*" >&2
  exit 1
}

(($# == 3)) || die "usage: build_packages DIR"
for tool in dpkg-deb dpkg-shlibdeps dpkg-gensymbols; do
  command -v $tool >/dev/null || die "$tool is missing (Debian packages dpkg and dpkg-dev)"
done
# Packages that Debian makes itself, which begin with -1, count as newer.
readonly REVISION=$VERSION${OF_LLVM/_/+}-0upstream1
readonly MAINTAINER="${DEBFULLNAME-$(git config user.name)} <${DEBEMAIL-$(git config user.email)}>"
readonly TRIPLET=$(dpkg-architecture -qDEB_HOST_MULTIARCH) ARCHITECTURE=$(dpkg-architecture -qDEB_HOST_ARCH)
readonly LIB=usr/lib/$TRIPLET
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH-$(date +%s)}
readonly DESTINATION=$(cd "${BUILD_WORKING_DIRECTORY-.}" && mkdir -p "$3" && cd "$3" && pwd)
readonly WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
umask 022

install/install "$VERSION" "$INTERFACE" --prefix=/usr --libdir="lib/$TRIPLET" --destdir="$WORK/all" --strip

# --- Which package has which file ---
move() { # PACKAGE PATH...
  local package=$1 path
  shift
  for path in "$@"; do
    mkdir -p "$WORK/$package/$(dirname "$path")"
    mv "$WORK/all/"$path "$WORK/$package/$(dirname "$path")/"
  done
}

# Debian's own places.
mkdir -p "$WORK/all/usr/share/zsh/vendor-completions"
mv "$WORK/all/usr/share/zsh/site-functions/_firstcall" "$WORK/all/usr/share/zsh/vendor-completions/"
rm -r "$WORK/all/usr/share/zsh/site-functions" "$WORK/all/usr/share/doc/firstcall/LICENSE"
gzip -9n "$WORK/all/usr/share/man/man1/firstcall.1"
mkdir -p "$WORK/all/usr/share/doc/libfirstcall-dev"
mv "$WORK/all/usr/share/doc/firstcall/examples" "$WORK/all/usr/share/doc/libfirstcall-dev/"

readonly C_LIBRARY=libfirstcall${INTERFACE/_/-} CC_LIBRARY=libfirstcall-cc$VERSION${OF_LLVM/_/-}
move "$C_LIBRARY" "$LIB/libfirstcall.so.*" "$LIB/libfirstcall_runtime.so.*" \
  "$LIB/firstcall/libfirstcall_runtime.so.*" "$LIB/firstcall/libfirstcall_compiler.so"
move "$CC_LIBRARY" "$LIB/libfirstcall_cc.so.*"
move firstcall-mcjit "$LIB/libfirstcall_mcjit.so" "$LIB/firstcall/libfirstcall_mcjit*.so"
move firstcall-orc "$LIB/libfirstcall_orc*.so" "$LIB/firstcall/libfirstcall_orc*.so"
move libfirstcall-dev "$LIB/lib*.so" "$LIB/pkgconfig" "$LIB/cmake" usr/include usr/share/doc/libfirstcall-dev
move firstcall usr/bin "$LIB/firstcall/firstcall*" usr/lib/systemd usr/share
left=$(find "$WORK/all" -not -type d)
[[ ! $left ]] || die "no package has $left"

# --- What each package needs ---
# dpkg-shlibdeps wants to stand in a source package.
mkdir -p "$WORK/source/debian"
printf 'Source: firstcall\n\nPackage: firstcall\nArchitecture: any\n' >"$WORK/source/debian/control"
library_packages() { # PACKAGE: the packages that its programs and libraries need
  local files
  mapfile -t files < <(find "$WORK/$1" -type f \( -name '*.so*' -o -name 'firstcall*' -perm -u+x \))
  (cd "$WORK/source" && dpkg-shlibdeps -O --warnings=0 "${files[@]}" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

package() { # NAME SECTION DEPENDS MULTI-ARCH SUMMARY [RECOMMENDS], and on standard input the description
  local root=$WORK/$1 name=$1 recommends=${6-} description
  description=$(sed 's/^$/./; s/^/ /')
  mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$name"
  sed "s/@LLVM@/$LLVM/g" install/debian/copyright >"$root/usr/share/doc/$name/copyright"
  gzip -9nc CHANGELOG.md >"$root/usr/share/doc/$name/changelog.gz"
  printf 'firstcall (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' "$REVISION" "$VERSION" \
    "$MAINTAINER" "$(LC_ALL=C date -R -d "@$SOURCE_DATE_EPOCH")" |
    gzip -9n >"$root/usr/share/doc/$name/changelog.Debian.gz"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  cat >"$root/DEBIAN/control" <<END
Package: $name
Source: firstcall
Version: $REVISION
Architecture: $ARCHITECTURE
Maintainer: $MAINTAINER
Installed-Size: $(du -k --apparent-size -s "$root/usr" | cut -f 1)
Depends: $3
${recommends:+Recommends: $recommends
}Section: $2
Priority: optional
Multi-Arch: $4
Description: $5
$description
END
  find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group --build "$root" "$DESTINATION/${name}_${REVISION}_$ARCHITECTURE.deb" >/dev/null
  echo "$DESTINATION/${name}_${REVISION}_$ARCHITECTURE.deb"
}

# What other packages' dpkg-shlibdeps reads of these libraries.
mkdir -p "$WORK/$C_LIBRARY/DEBIAN" "$WORK/$CC_LIBRARY/DEBIAN"
printf 'libfirstcall %s %s (>= %s)\nlibfirstcall_runtime %s %s (>= %s)\n' \
  "$INTERFACE" "$C_LIBRARY" "$VERSION" "$INTERFACE" "$C_LIBRARY" "$VERSION" >"$WORK/$C_LIBRARY/DEBIAN/shlibs"
printf 'libfirstcall_cc %s %s\n' "$VERSION$OF_LLVM" "$CC_LIBRARY" >"$WORK/$CC_LIBRARY/DEBIAN/shlibs"
mkdir -p "$WORK/firstcall-mcjit/DEBIAN" "$WORK/firstcall-orc/DEBIAN"
for package in "$C_LIBRARY" "$CC_LIBRARY" firstcall-mcjit firstcall-orc; do
  printf 'activate-noawait ldconfig\n' >"$WORK/$package/DEBIAN/triggers"
done

# The symbols of the C interface, and since when they are there.
(cd "$WORK/source" &&
  dpkg-gensymbols -p"$C_LIBRARY" -v"$VERSION" -P"$WORK/$C_LIBRARY" -e"$WORK/$C_LIBRARY/$LIB/libfirstcall.so.$VERSION$OF_LLVM" \
    -O"$WORK/$C_LIBRARY/DEBIAN/symbols" >/dev/null)

# Its LLVM comes from static libraries, and the sooner it starts the better.
mkdir -p "$WORK/firstcall/usr/share/lintian/overrides"
echo "firstcall: hardening-no-pie [$LIB/firstcall/firstcall-llvm]" >"$WORK/firstcall/usr/share/lintian/overrides/firstcall"

readonly WHAT="firstcall compiles LLVM IR function by function, each when it is first
called, and replaces the code of hot functions by optimized code while the
program runs."

# Loaded when a cache over HTTP, or over Redis with TLS, is named.
readonly FOR_SERVERS="libcurl4 | libcurl3-gnutls, libssl3"

package firstcall devel "$(library_packages firstcall), $C_LIBRARY (= $REVISION)" foreign \
  "run LLVM IR, compiling each function when it is first called" "$FOR_SERVERS" <<END
$WHAT

This package has the command, which takes the place of LLVM's lli. It keeps
what it has compiled, and compiles nothing when it runs the same program again.
END
package firstcall-mcjit libs "$(library_packages firstcall-mcjit)" same \
  "lazy compilation for programs that use LLVM's MCJIT" <<END
$WHAT

This package has a library to be preloaded. It takes MCJIT's place in programs
that use it from the shared library of LLVM $LLVM.
END
package firstcall-orc libs "$(library_packages firstcall-orc)" same \
  "fast code generation for programs that use LLVM's ORC" <<END
$WHAT

This package has the compile function for programs that use ORC from the shared
library of LLVM $LLVM, and a library to be preloaded that gives it to them.
END
package "$C_LIBRARY" libs "$(library_packages "$C_LIBRARY")" same \
  "lazy per-function compiler for LLVM IR - C library" "$FOR_SERVERS" <<END
$WHAT

This package has the library for programs in C.
END
package "$CC_LIBRARY" libs "$(library_packages "$CC_LIBRARY")" same \
  "lazy per-function compiler for LLVM IR - C++ library" "$FOR_SERVERS" <<END
$WHAT

This package has the library for programs in C++. They have to be compiled
again for each release.
END
package libfirstcall-dev libdevel "$C_LIBRARY (= $REVISION), $CC_LIBRARY (= $REVISION), libabsl-dev" same \
  "lazy per-function compiler for LLVM IR - development files" <<END
$WHAT

This package has the headers for C and C++, what pkg-config and CMake read, and
examples.
END
