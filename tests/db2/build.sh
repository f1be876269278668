#!/usr/bin/env bash
# Makes the real ibm_db package run where IBM's client library cannot be had: against the stand-in library of this
# folder (see stand-in/README.md). Everything lands in tests/db2/.build, which git ignores; a second run finds it there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
version=4.0.1
mark=$(cat build.sh stand-in/* | sha256sum | cut -c1-16)-$(node -p 'process.versions.modules')
if [ "$(cat .build/mark 2>/dev/null)" = "$mark" ]; then exit 0; fi

[ "$(uname -sm)" = 'Linux x86_64' ] || { echo 'the stand-in library is for Linux on x86-64 only' >&2 && exit 1; }
have() { [ -e /usr/include/sqlext.h ] && ls /usr/lib/*/odbc/psqlodbca.so >/dev/null 2>&1 && command -v g++ make python3 >/dev/null; }
if ! have; then
  packages='unixodbc unixodbc-dev odbc-postgresql g++ make python3'
  [ "$(id -u)" = 0 ] || { echo "missing, and only root could install them (Debian): $packages" >&2 && exit 1; }
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # a list of words
  apt-get update -qq && apt-get install -qq --no-install-recommends $packages >/dev/null
fi

rm -rf .build && mkdir -p .build/stage/clidriver/lib .build/stage/clidriver/include .build/dist
cd .build
gcc -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -fvisibility=hidden -Wl,-soname,libdb2.so.1 \
  -o stage/clidriver/lib/libdb2.so.1 ../stand-in/libdb2shim.c -ldl -lpthread
ln -sf libdb2.so.1 stage/clidriver/lib/libdb2.so
npm pack --silent "ibm_db@$version" >/dev/null && tar xzf "ibm_db-$version.tgz"
python3 ../stand-in/gen-headers.py package stage/clidriver/include
tar -C stage -czf dist/linuxx64_odbc_cli.tar.gz clidriver
echo '{"private": true, "allowScripts": {"ibm_db": true}}' >package.json
# The package's own installer and its own build, from our archive instead of IBM's.
export npm_config_fetch_timeout=60000
IBM_DB_INSTALLER_URL=$PWD/dist npm install --save-exact --no-audit --no-fund --loglevel=error "ibm_db@$version" >install.log 2>&1 ||
  { cat install.log >&2 && exit 1; }
# npm's exit status proves nothing here.
[ -f node_modules/ibm_db/build/Release/odbc_bindings.node ] || { cat install.log >&2 && exit 1; }
echo "$mark" >mark
