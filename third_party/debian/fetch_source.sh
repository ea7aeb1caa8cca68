#!/bin/bash
# Fetches archives of Debian source packages:  fetch_source.sh DIR {PACKAGE[/RELEASE] ARCHIVE SHA256}...
#
# RELEASE is Debian's name of one, if not bookworm.
#
# Leaves each ARCHIVE (a file of the source package PACKAGE) in DIR, pinned by its SHA-256; what is
# there already is not fetched again. Needs apt-get and sha256sum; no root, and the machine's apt
# configuration and package lists are left alone. Silent when nothing is missing. DEBIAN_MIRROR
# names another mirror than deb.debian.org.

set -euo pipefail

if (($# < 4 || ($# - 1) % 3 != 0)); then
  echo "usage: $0 DIR {PACKAGE[/RELEASE] ARCHIVE SHA256}..." >&2
  exit 2
fi

mkdir -p "$1"
DIR="$(cd "$1" && pwd)"
readonly DIR APT="$DIR/apt.$$"
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
write_apt_config() {  # RELEASE
  rm -rf "$APT"
  mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial"
  touch "$APT/status"
  cat >"$APT/sources.list" <<END
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
${DEBIAN_MIRROR:-http://deb.debian.org/debian} $1 main
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
fetch() {  # PACKAGE[/RELEASE] ARCHIVE SHA256
  local package="${1%/*}" release=bookworm
  [[ $1 != */* ]] || release="${1#*/}"
  if [[ ! -f $DIR/$2 ]]; then
    if [[ $listed != "$release" ]]; then
      write_apt_config "$release"
      echo "fetch_source: reading the list of $release's source packages" >&2
      quietly apt-get -c "$APT/apt.conf" update
      listed="$release"
    fi
    echo "fetch_source: fetching $package" >&2
    # Its other archives, in a directory of their own, are left behind.
    mkdir -p "$APT/package"
    (cd "$APT/package" &&
      quietly apt-get -c "$APT/apt.conf" source --download-only --tar-only --only-source "$package")
    [[ -f $APT/package/$2 ]] || fail "$release no longer has $2"
    mv "$APT/package/$2" "$DIR/$2"
    rm -rf "$APT/package"
  fi
  echo "$3  $DIR/$2" | sha256sum --check --status ||
    fail "$DIR/$2 does not have the pinned SHA-256 $3"
}

trap 'rm -rf "$APT"' EXIT
listed=  # The release whose packages apt knows.
while (($# > 0)); do
  fetch "$1" "$2" "$3"
  shift 3
done
