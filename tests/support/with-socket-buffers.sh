#!/bin/sh
# Runs a command in a network namespace of its own with small or large socket buffers: docs/testing.md.
#   tests/support/with-socket-buffers.sh small|large COMMAND...
set -eu
case "$1" in
  small) wmem='4096 4096 16384' rmem='4096 8192 16384' ;;
  large) wmem='4096 4194304 33554432' rmem='4096 6291456 33554432' ;;
  *) echo "expected small or large, got $1" >&2; exit 2 ;;
esac
shift
export wmem rmem
exec unshare --net sh -eu -c '
  # Segments as on Ethernet: those of a loopback do not fit into small buffers at all.
  ip link set lo mtu 1500 up
  # Chromium is online only where there is a route beside the loopback.
  ip link add outside type veth peer name inside
  ip address add 198.51.100.1/24 dev outside
  ip link set outside up
  ip link set inside up
  ip route add default via 198.51.100.2 dev outside
  echo "$wmem" > /proc/sys/net/ipv4/tcp_wmem
  echo "$rmem" > /proc/sys/net/ipv4/tcp_rmem
  thief=
  if [ "${STEAL:-}" = 1 ]; then
    # Busy for 50 ms, idle for 50 ms.
    node -e "setInterval(() => { const end = Date.now() + 50; while (Date.now() < end); }, 100)" &
    thief=$!
  fi
  status=0
  "$@" || status=$?
  [ -z "$thief" ] || kill "$thief"
  exit "$status"
' sh "$@"
