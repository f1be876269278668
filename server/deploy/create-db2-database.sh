#!/bin/sh
# Makes the database of the Db2 container where it is missing: single-byte, since a column's length counts bytes in UTF-8,
# and with pages of 32 KB for the asset file. The image runs it as root when its instance is up.
set -eu
as_instance() { su - db2inst1 -c "$1"; }

if as_instance 'db2 list database directory' | grep -q 'Database alias *= TAILGATE$'; then exit 0; fi
as_instance 'db2 create database TAILGATE using codeset ISO8859-1 territory US pagesize 32768'
