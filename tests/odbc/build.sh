#!/usr/bin/env bash
# Builds the npm package odbc with the system's ODBC manager, and installs PostgreSQL's ODBC driver. Everything of npm lands
# in tests/odbc/.build, which git ignores; a second run finds it there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
version=2.6.0
mark=$(sha256sum build.sh | cut -c1-16)-$(node -p 'process.versions.modules')
if [ "$(cat .build/mark 2>/dev/null)" = "$mark" ]; then exit 0; fi

have() { [ -e /usr/include/sqlext.h ] && ls /usr/lib/*/odbc/psqlodbcw.so >/dev/null 2>&1 && command -v g++ make python3 >/dev/null; }
if ! have; then
  packages='unixodbc unixodbc-dev odbc-postgresql g++ make python3'
  [ "$(id -u)" = 0 ] || { echo "missing, and only root could install them (Debian): $packages" >&2 && exit 1; }
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # a list of words
  apt-get update -qq && apt-get install -qq --no-install-recommends $packages >/dev/null
fi

rm -rf .build && mkdir .build && cd .build
echo '{"private": true, "allowScripts": {"odbc": true}}' >package.json
export npm_config_fetch_timeout=60000
# No binary from elsewhere: the package is built here.
npm_config_build_from_source=odbc npm install --save-exact --no-audit --no-fund --loglevel=error "odbc@$version" >install.log 2>&1 ||
  { cat install.log >&2 && exit 1; }
# npm's exit status proves nothing here.
ls node_modules/odbc/lib/bindings/*/odbc.node >/dev/null || { cat install.log >&2 && exit 1; }
echo "$mark" >mark
