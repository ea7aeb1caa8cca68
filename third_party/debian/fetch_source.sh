#!/bin/bash
# Fetches archives of Debian source packages:  fetch_source.sh DIR {PACKAGE ARCHIVE SHA256}...
#
# Leaves each ARCHIVE (a file of the source package PACKAGE) in DIR, pinned by its SHA-256; what is
# there already is not fetched again. Needs apt-get and sha256sum; no root, and the machine's apt
# configuration and package lists are left alone. Silent when nothing is missing. DEBIAN_MIRROR
# names another mirror than deb.debian.org.

set -euo pipefail

if (($# < 4 || ($# - 1) % 3 != 0)); then
  echo "usage: $0 DIR {PACKAGE ARCHIVE SHA256}..." >&2
  exit 2
fi

readonly SUITE=bookworm
mkdir -p "$1"
DIR="$(cd "$1" && pwd)"
readonly DIR APT="$DIR/apt"
shift

fail() {
  echo "fetch_source: $*" >&2
  exit 1
}

# Runs a command quietly; shows what it said only if it fails.
quietly() {
  local log="$APT/log"
  "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "failed: $*"; }
}

# An apt of its own: other sources, lists, cache and status, and none of the machine's update hooks.
write_apt_config() {
  mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial"
  touch "$APT/status"
  cat >"$APT/sources.list" <<END
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
${DEBIAN_MIRROR:-http://deb.debian.org/debian} $SUITE main
END
  cat >"$APT/apt.conf" <<END
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "";
Debug::NoLocking "true";
Dir::Cache "$APT/cache";
Dir::Etc::sourcelist "$APT/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State "$APT";
Dir::State::lists "$APT/lists";
Dir::State::status "$APT/status";
END
}

# What stands in DIR under an archive's name has the pinned sum or is an error.
fetch() {  # PACKAGE ARCHIVE SHA256
  if [[ ! -f $DIR/$2 ]]; then
    if [[ ! -d $APT ]]; then
      write_apt_config
      echo "fetch_source: reading the list of Debian's source packages" >&2
      quietly apt-get -c "$APT/apt.conf" update
    fi
    echo "fetch_source: fetching $1" >&2
    # The package's other files, in a directory of their own, are left behind.
    mkdir -p "$APT/package"
    (cd "$APT/package" &&
      quietly apt-get -c "$APT/apt.conf" source --download-only --only-source "$1")
    [[ -f $APT/package/$2 ]] || fail "$SUITE no longer has $2"
    mv "$APT/package/$2" "$DIR/$2"
    rm -rf "$APT/package"
  fi
  echo "$3  $DIR/$2" | sha256sum --check --status ||
    fail "$DIR/$2 does not have the pinned SHA-256 $3"
}

trap 'rm -rf "$APT"' EXIT
while (($# > 0)); do
  fetch "$1" "$2" "$3"
  shift 3
done
