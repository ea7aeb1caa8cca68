#!/bin/bash
# Fetches and builds programs that others wrote, for //benchmarks:compute --others:
#   fetch_others.sh DIR [NAME...]
#
# The sources are the upstream archives of Debian's source packages, each pinned by its SHA-256. The
# inputs are written by programs/others/make_inputs.py, or are sources of the same packages. Each
# program runs 0.2 to 2 seconds ahead of time. Leaves in DIR/others:
#   NAME.bc       as the front end emits it for -O2, before any pass, in one module
#   native/NAME   the same sources by clang -O2: the reference
#   NAME.run      the file that is the standard input (may be empty), and the arguments; each a line
#   inputs/       what the programs read
#
# NAMEs choose programs; without them all are built. Needs clang-VERSION, llvm-VERSION (19, or what
# LLVM_MAJOR says), apt-get, ar, make's usual tools for two configure scripts, python3 and sha256sum; no
# root, and the machine's apt configuration and package lists are left alone. Silent, and quick, when DIR
# is up to date. DEBIAN_MIRROR names another mirror than deb.debian.org.

set -euo pipefail
shopt -s extglob

if [[ $# -lt 1 || $1 == -* ]]; then
  echo "usage: $0 DIR [NAME...]" >&2
  exit 2
fi

SCRIPT="$(realpath "${BASH_SOURCE[0]}")"
HERE="$(dirname "$SCRIPT")"
cd "${BUILD_WORKING_DIRECTORY:-.}"  # Bazel runs us elsewhere.
mkdir -p "$1/others"
DIR="$(cd "$1/others" && pwd)"
readonly SCRIPT HERE DIR SOURCES="$DIR/sources" INPUTS="$DIR/inputs"
readonly PROGRAMS="$HERE/programs/others"
# shellcheck source=benchmarks/workload_tools.sh
source "$HERE/workload_tools.sh"

# Package[/release] of Debian, the upstream archive in its source package, and its SHA-256.
readonly ARCHIVES=(
  bzip2 bzip2_1.0.8.orig.tar.gz
    ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
  zlib zlib_1.2.13.dfsg.orig.tar.bz2
    71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
  libzstd libzstd_1.5.4+dfsg2.orig.tar.xz
    8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953
  brotli brotli_1.0.9.orig.tar.gz
    f9e8d81d0405ba66d181529af42a3354f838c939095ff99930da6aa9cdf6fe46
  lz4 lz4_1.9.4.orig.tar.gz
    0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b
  lzip lzip_1.23.orig.tar.xz
    d269d8e204579cb7047d6187bce741acb484a27e24cf24f20cf017c48574147c
  zopfli zopfli_1.0.3.orig.tar.gz
    e955a7739f71af37ef3349c4fa141c648e8775bceb2195be07e86f8e638814bd
  mujs mujs_1.3.2.orig.tar.xz
    4886593fc688b0cdccd31e5ecbe5afe7ad1bee23aa69e667b871afd5dfc640c3
  duktape duktape_2.7.0.orig.tar.xz
    90f8d2fa8b5567c6899830ddef2c03f3c27960b11aca222fa17aa7ac613c2890
  mawk mawk_1.3.4.20200120.orig.tar.gz
    7fd4cd1e1fae9290fe089171181bbc6291dfd9bca939ca804f0ddb851c8b8237
  tinyscheme tinyscheme_1.42.svn.2020.06.04.orig.tar.xz
    95d1a25e4e8427bbd47a737b112a07f472224ea9ba59d682659450b61c476356
  jq jq_1.6.orig.tar.gz
    3ba940b97571c866923f0409678033d33b5a98758dfc174fad8397ed908bc4d9
  tcc tcc_0.9.27+git20200814.62c30a4a.orig.tar.bz2
    d63c113bcdd657f51c8ee197a0b0a24203603313e19a52b5f678d40ab7f5df35
  cmark cmark_0.30.2.orig.tar.gz
    6c7d2bcaea1433d977d8fed0b55b71c9d045a7cdf616e3cd2dce9007da753db3
  expat expat_2.5.0.orig.tar.gz
    ab00ee05c7067fd10a35c5d2a4922ebba746ddd50ff83b79c828da17bbdf1757
  pcre2 pcre2_10.42.orig.tar.gz
    c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f
  fasttree fasttree_2.1.11.orig.tar.xz
    7f15713f02afb167f4f33dc067b5b2282b219b22fbaa17eb8f771a7147a05a5c
  prodigal prodigal_2.6.3.orig.tar.gz
    89094ad4bff5a8a8732d899f31cec350f5a4c27bcbdd12663f87c9d1f0ec599f
  muscle3 muscle3_3.8.1551.orig.tar.gz
    c70c552231cd3289f1bad51c9bd174804c18bb3adcf47f501afec7a68f9c482e
  qhull qhull_2020.2.orig.tar.gz
    b5c2d7eb833278881b952c8a52d20179eab87766b00b865000469a45c1838b7e
  libsvm libsvm_3.24+ds.orig.tar.xz
    fd8fbf3179765dfcfdf949184b4b2c3c1a3a03834549ce48d42cd0269858f8c3
  lame lame_3.100.orig.tar.gz
    ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e
  libwebp libwebp_1.2.4.orig.tar.gz
    7bf5a8a28cc69bcfa8cb214f2c3095703c6b73ac5fba4d5480c205331d9494df
  mbedtls mbedtls_2.28.3.orig.tar.gz
    3b4953aa55a681e084d31892d9904cc5328d6b4958ea57b90ae4b4f94ae69a8d
  lp-solve lp-solve_5.5.2.5.orig.tar.gz
    201a7c62b8b3360c884ee2a73ed7667e5716fc1e809755053b398c2f5b0cf28a
  quickjs/trixie quickjs_2025.04.26.orig.tar.xz
    ec81da5b3249ed648dbc7df4a1654988910e66a118d9b71cb63534216efcfbbe
)

# ---- Words of the recipes -----------------------------------------------------------------------

# For each call, lists of Debian's packages are read where an archive is missing.
fetch() {  # ENTRIES OF ARCHIVES...
  "$HERE/../third_party/debian/fetch_source.sh" "$SOURCES" "$@"
}

# The upstream archive of a Debian source package, unpacked in $SOURCE. STRIP is the number of
# directories around its files, if not 1.
debian() {  # PACKAGE [STRIP]
  local i
  SOURCE="$SOURCES/$1"
  [[ -f $SOURCE/.unpacked ]] && return
  for ((i = 0; i < ${#ARCHIVES[@]}; i += 3)); do
    [[ ${ARCHIVES[i]%/*} == "$1" ]] || continue
    fetch "${ARCHIVES[@]:i:3}"
    rm -rf "$SOURCE"
    mkdir -p "$SOURCE"
    tar -xf "$SOURCES/${ARCHIVES[i + 1]}" -C "$SOURCE" --strip-components="${2:-1}"
    touch "$SOURCE/.unpacked"
  done
}

# The program of the recipe. $GENERATED is for files that its build would write; it is searched for
# headers first.
program() {  # FLAGS... -- FILES...
  local flags=("-I$GENERATED") files=() objects=() file
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  files=("$@")
  emit "$NAME" "${TO_BE_OPTIMIZED[@]}" "${flags[@]}" -- "${files[@]}"
  for file in "${files[@]}"; do
    objects+=("$DIR/objects/$NAME-${#objects[@]}.o")
    in_turns quietly "$(driver_of "$file")" -O2 "${flags[@]}" -w -c "$file" -o "${objects[-1]}"
  done
  wait_for_all
  quietly "clang++-$LLVM_VERSION" "${objects[@]}" -o "$DIR/native/$NAME" -lm
}

# How the program of the recipe runs.
run() {  # [--input=FILE] ARGUMENTS...
  local input=
  if [[ ${1-} == --input=* ]]; then
    input="${1#--input=}"
    shift
  fi
  printf '%s\n' "$input" "$@" >"$DIR/$NAME.run"
}

# ---- Compressors --------------------------------------------------------------------------------

recipe_bzip2() {
  debian bzip2
  program -D_FILE_OFFSET_BITS=64 -- \
    "$SOURCE"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib,bzip2}.c
  run -9 -k -c "$INPUTS/corpus"
}

recipe_minigzip() {
  debian zlib
  program "-I$SOURCE" -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1 -- "$SOURCE"/*.c \
    "$SOURCE/test/minigzip.c"
  run -7 -c "$INPUTS/corpus"
}

recipe_zstd() {
  debian libzstd
  program "-I$SOURCE/lib" "-I$SOURCE/lib/common" "-I$SOURCE/programs" -DZSTD_DISABLE_ASM \
    -DZSTD_LEGACY_SUPPORT=0 -- "$SOURCE"/lib/{common,compress,decompress,dictBuilder}/*.c \
    "$SOURCE"/programs/*.c
  run -q -12 -c "$INPUTS/corpus"
}

recipe_brotli() {
  debian brotli
  program "-I$SOURCE/c/include" -DOS_LINUX -- "$SOURCE"/c/{common,dec,enc,tools}/*.c
  run -q 9 -c "$INPUTS/corpus"
}

recipe_lz4() {
  debian lz4
  program "-I$SOURCE/lib" -DXXH_NAMESPACE=LZ4_ -- "$SOURCE"/lib/*.c "$SOURCE"/programs/*.c
  run -q -9 -c "$INPUTS/corpus"
}

recipe_lzip() {
  debian lzip
  program '-DPROGVERSION="1.23"' -- "$SOURCE"/*.cc
  run -1 -k -c "$INPUTS/corpus"
}

recipe_zopfli() {
  debian zopfli
  program -- "$SOURCE"/src/zopfli/*.c
  run --i5 -c "$INPUTS/short_corpus"
}

# ---- Interpreters -------------------------------------------------------------------------------

# Runs work.js. The interpreters have different ways to pass arguments to a script, or none.
run_script() {  # ROUNDS
  { echo "var rounds = $1;"; cat "$PROGRAMS/work.js"; } >"$INPUTS/$NAME.js"
  run "$INPUTS/$NAME.js"
}

recipe_mujs() {
  debian mujs
  program -- "$SOURCE"/one.c "$SOURCE"/main.c
  run_script 8
}

recipe_duktape() {
  debian duktape
  local extras="$SOURCE/extras"
  program "-I$SOURCE/src" "-I$SOURCE/examples/cmdline" "-I$extras/print-alert" \
    -DDUK_CMDLINE_PRINTALERT_SUPPORT -- "$SOURCE/src/duktape.c" \
    "$SOURCE/examples/cmdline/duk_cmdline.c" "$extras/print-alert/duk_print_alert.c"
  run_script 9
}

recipe_quickjs() {
  debian quickjs
  # What QuickJS's build makes of repl.js, which scripts do not need.
  echo "const unsigned qjsc_repl_size = 0; const unsigned char qjsc_repl[1] = {0};" \
    >"$GENERATED/repl.c"
  program -D_GNU_SOURCE '-DCONFIG_VERSION="2025-04-26"' -fwrapv "-I$SOURCE" -- \
    "$SOURCE"/{quickjs,dtoa,libregexp,libunicode,cutils,quickjs-libc,qjs}.c "$GENERATED/repl.c"
  run_script 12
}

recipe_mawk() {
  debian mawk
  [[ -f $GENERATED/config.h ]] ||
    (cd "$GENERATED" && CC="clang-$LLVM_VERSION" quietly "$SOURCE/configure")
  quietly "clang-$LLVM_VERSION" -w "-I$GENERATED" "-I$SOURCE" "$SOURCE/makescan.c" \
    -o "$GENERATED/makescan"
  "$GENERATED/makescan" >"$GENERATED/scancode.c"
  program -DHAVE_CONFIG_H "-I$SOURCE" -- "$GENERATED/scancode.c" \
    "$SOURCE"/{array,bi_funct,bi_vars,cast,code,da,error,execute,fcall,field,files,fin,hash,init,jmp,kw}.c \
    "$SOURCE"/{main,matherr,memory,parse,print,re_cmpl,regexp,scan,split,version}.c \
    "$SOURCE"/zmalloc.c
  run -f "$INPUTS/work.awk" "$INPUTS/corpus"
}

recipe_tinyscheme() {
  debian tinyscheme
  program -DSTANDALONE=1 -DUSE_DL=0 "-DInitFile=\"$SOURCE/init.scm\"" -- "$SOURCE/scheme.c"
  run "$INPUTS/work.scm"
}

recipe_jq() {
  debian jq
  local flags=() function
  for function in acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh exp exp2 floor fma fmod \
    log log10 log2 pow round sin sinh sqrt tan tanh trunc; do
    flags+=("-DHAVE_${function^^}")
  done
  # What jq's build makes of its builtins: a string literal of each line.
  mkdir -p "$GENERATED/src"
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' "$SOURCE/src/builtin.jq" \
    >"$GENERATED/src/builtin.inc"
  echo '#define JQ_VERSION "1.6"' >"$GENERATED/src/version.h"
  program "${flags[@]}" "-I$GENERATED/src" "-I$SOURCE/src" -D_GNU_SOURCE -DIEEE_8087 \
    -DHAVE_PTHREAD_KEY_CREATE -DHAVE_PTHREAD_ONCE -DHAVE_MEMMEM -DHAVE_ISATTY -- \
    "$SOURCE"/src/!(inject_errors).c
  run 'map(select(.size > 20)) | group_by(.kind) | map({kind: .[0].kind, count: length, '\
'names: map(.name | ascii_upcase), sum: (map(.size) | add)})' "$INPUTS/records.json"
}

# ---- Compilers and parsers ----------------------------------------------------------------------

# The compiled program runs in memory.
recipe_tcc() {
  debian tcc 0
  touch "$GENERATED/config.h"
  rm -f "$GENERATED/libtcc1.a"
  ar rc "$GENERATED/libtcc1.a"  # The functions in it are for what the program does not do.
  program -DONE_SOURCE=1 -DTCC_TARGET_X86_64 '-DTCC_VERSION="0.9.27"' \
    "-DCONFIG_TCCDIR=\"$GENERATED\"" "-DCONFIG_TCC_LIBPATHS=\"/usr/lib/$(uname -m)-linux-gnu\"" "-I$SOURCE" -- "$SOURCE/tcc.c"
  run -nostdinc -run "$INPUTS/functions.c"
}

recipe_cmark() {
  debian cmark
  sed -e 's/#cmakedefine/#define/' "$SOURCE/src/config.h.in" >"$GENERATED/config.h"
  echo '#define CMARK_EXPORT' >"$GENERATED/cmark_export.h"
  printf '#define CMARK_VERSION 0x1e02\n#define CMARK_VERSION_STRING "0.30.2"\n' \
    >"$GENERATED/cmark_version.h"
  program "-I$SOURCE/src" -- "$SOURCE"/src/*.c
  local i
  for ((i = 0; i < 800; ++i)); do cat "$SOURCE"/bench/samples/*.md; done >"$INPUTS/document.md"
  run "$INPUTS/document.md"
}

recipe_expat() {
  debian expat
  printf '#define %s\n' 'BYTEORDER 1234' 'HAVE_GETRANDOM 1' 'PACKAGE_STRING "expat 2.5.0"' \
    'XML_CONTEXT_BYTES 1024' 'XML_DTD 1' 'XML_NS 1' >"$GENERATED/expat_config.h"
  program "-I$SOURCE/expat/lib" -- "$SOURCE"/expat/lib/*.c "$SOURCE/expat/examples/outline.c"
  run --input="$INPUTS/records.xml"
}

recipe_pcre2grep() {
  debian pcre2
  local others='jit_match|jit_misc|jit_test|printint|dftables|fuzzsupport|ucptables|posix*|pcre2test'
  {
    cat "$SOURCE/src/config.h.generic"
    echo "#define SUPPORT_PCRE2_8 1"
    echo "#define SUPPORT_UNICODE 1"
    printf '#define HAVE_%s 1\n' DIRENT_H MEMMOVE STRERROR SYS_STAT_H SYS_TYPES_H UNISTD_H
  } >"$GENERATED/config.h"
  cp "$SOURCE/src/pcre2.h.generic" "$GENERATED/pcre2.h"
  cp "$SOURCE/src/pcre2_chartables.c.dist" "$GENERATED/pcre2_chartables.c"
  program "-I$SOURCE/src" -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -- \
    "$SOURCE"/src/pcre2_!($others).c "$GENERATED/pcre2_chartables.c" "$SOURCE/src/pcre2grep.c"
  run -c '(\w+)\s+\1|[A-Z][a-z]+(?:[A-Z][a-z]+){2,}|\b\d{2,3}(?=\s*[;,)])|^\s*if \(.*\) (?:return|break)' \
    "$INPUTS/corpus"
}

# ---- Numeric ------------------------------------------------------------------------------------

recipe_fasttree() {
  debian fasttree
  program -DUSE_DOUBLE -- "$SOURCE/fasttree.c"
  run -quiet -nt -gtr "$INPUTS/alignment.fasta"
}

recipe_prodigal() {
  debian prodigal
  program -- "$SOURCE"/*.c
  run -q -f gff -i "$INPUTS/genome.fasta"
}

recipe_muscle() {
  debian muscle3 0
  program -DNDEBUG=1 -- "$SOURCE"/*.cpp
  run -quiet -in "$INPUTS/proteins.fasta"
}

recipe_qhull() {
  debian qhull
  program "-I$SOURCE/src" -- "$SOURCE"/src/libqhull_r/*.c "$SOURCE/src/qdelaunay/qdelaun_r.c"
  run --input="$INPUTS/points" Qt i
}

recipe_libsvm() {
  debian libsvm
  program -- "$SOURCE"/{svm.cpp,svm-train.c}
  run -v 5 -g 0.5 "$INPUTS/samples"
}

recipe_lame() {
  debian lame
  [[ -f $GENERATED/config.h ]] ||
    (cd "$GENERATED" && CC="clang-$LLVM_VERSION" quietly "$SOURCE/configure")
  sed -i '/HAVE_.*TERMCAP/d' "$GENERATED/config.h"  # The machine may have it or not.
  program -DHAVE_CONFIG_H "-I$SOURCE"/{include,libmp3lame,mpglib,frontend} -I"$SOURCE/include" \
    "-I$SOURCE/libmp3lame" "-I$SOURCE/mpglib" -- "$SOURCE"/libmp3lame/*.c \
    "$SOURCE"/libmp3lame/vector/*.c "$SOURCE"/mpglib/*.c \
    "$SOURCE"/frontend/{brhist,console,get_audio,lame_main,lametime,main,parse,timestatus}.c
  run --quiet -r -s 44.1 "$INPUTS/sound.pcm" -
}

recipe_cwebp() {
  debian libwebp
  program "-I$SOURCE" "-I$SOURCE/src" -- "$SOURCE"/src/{dec,demux,dsp,enc,mux,utils}/*.c \
    "$SOURCE"/sharpyuv/*.c "$SOURCE"/imageio/!(wicdec|image_enc).c \
    "$SOURCE"/examples/{cwebp,example_util}.c
  run -quiet -q 80 -m 6 "$INPUTS/picture.ppm" -o -
}

# ---- Others -------------------------------------------------------------------------------------

recipe_mbedtls() {
  debian mbedtls
  program "-I$SOURCE/include" -- "$SOURCE"/library/*.c "$SOURCE/programs/hash/generic_sum.c"
  local copies=() i
  for ((i = 0; i < 15; ++i)); do copies+=("$INPUTS/corpus"); done
  run SHA512 "${copies[@]}"
}

recipe_lp_solve() {
  debian lp-solve
  local lusol="$SOURCE/bfp/bfp_LUSOL"
  program "-I$SOURCE" "-I$SOURCE/bfp" "-I$lusol" "-I$lusol/LUSOL" "-I$SOURCE/colamd" \
    "-I$SOURCE/shared" -DYY_NEVER_INTERACTIVE -DPARSER_LP -DINVERSE_ACTIVE=INVERSE_LUSOL \
    -DRoleIsExternalInvEngine -- "$SOURCE"/lp_!(rlp.y|solveDLL|explicit|fortify|pricePSE2).c \
    "$SOURCE"/shared/{commonlib,mmio,myblas}.c "$SOURCE"/{colamd/colamd,ini,fortify,yacc_read}.c \
    "$lusol/lp_LUSOL.c" "$lusol/LUSOL/lusol.c" "$SOURCE/lp_solve/lp_solve.c"
  run -S4 "$INPUTS/plan.lp"
}

# -------------------------------------------------------------------------------------------------

# What the programs read. Sources in C are a text to compress and to search.
make_inputs() {
  local package
  say "writing what the programs read"
  mkdir -p "$INPUTS"
  for package in brotli libzstd lz4 pcre2; do debian "$package"; done
  (cd "$SOURCES" && find brotli libzstd lz4 pcre2 -name '*.[ch]' | LC_ALL=C sort | xargs cat) \
    >"$INPUTS/all_sources"
  head -c 9000000 "$INPUTS/all_sources" >"$INPUTS/corpus"
  head -c 150000 "$INPUTS/all_sources" >"$INPUTS/short_corpus"
  rm "$INPUTS/all_sources"
  cp "$PROGRAMS"/work.{awk,scm} "$INPUTS"
  python3 "$PROGRAMS/make_inputs.py" "$INPUTS"
  touch "$INPUTS/.complete"
}

build() {  # NAMES...
  mkdir -p "$DIR/native"
  for NAME in "$@"; do
    say "building $NAME"
    GENERATED="$DIR/generated/$NAME"
    mkdir -p "$DIR/objects" "$GENERATED"
    "recipe_$NAME"
    rm -rf "$DIR/objects"
  done
}

main() {
  local stamp="$DIR/.fingerprint" wanted all name
  for name in "$@"; do
    [[ $(type -t "recipe_$name") == function ]] || fail "there is no program '$name'"
  done
  wanted="$(fingerprint "$HERE/workload_tools.sh" "$PROGRAMS")"
  [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return
  rm -f "$stamp"
  mkdir -p "$SOURCES"
  (($# > 0)) || fetch "${ARCHIVES[@]}"
  if (($# == 0)) || [[ ! -f $INPUTS/.complete ]]; then make_inputs; fi
  if (($# > 0)); then
    build "$@"
    return
  fi
  mapfile -t all < <(declare -F | sed -n 's/^declare -f recipe_//p')
  build "${all[@]}"
  echo "$wanted" >"$stamp"
  say "bitcode in $DIR/*.bc, ahead-of-time programs in $DIR/native, sources in $SOURCES"
}

main "${@:2}"
