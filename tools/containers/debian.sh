#!/bin/sh
# Runs a command with a Docker engine of its own, on a Debian machine that has none: as root,
#   sh tools/containers/debian.sh npm run test:containers
# It installs Docker, Compose and mmdebstrap from Debian. The engine runs in a network namespace, so that its bridges and
# rules don't change the network of the machine, and it stops with the command. WEBAGENT_CONTAINERS names its folder.
set -eu
[ "$(id -u)" = 0 ] || { echo "tools/containers/debian.sh needs root, to install and to start Docker."; exit 4; }
place=${WEBAGENT_CONTAINERS:-/var/lib/webagent-containers}
if [ -f "$place/pid" ] && kill -0 "$(cat "$place/pid")" 2>/dev/null; then
  echo "Another run uses $place. Wait for it, or name another folder in WEBAGENT_CONTAINERS."
  exit 4
fi
export DEBIAN_FRONTEND=noninteractive
missing=
for package in docker.io docker-compose mmdebstrap iproute2 iptables; do
  dpkg --status $package >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
  apt-get update -q >/dev/null && apt-get install -q -y --no-install-recommends $missing >/dev/null
fi

mkdir -p "$place/bin"
# the one of Debian, which has BuildKit, before any other
ln -sfn /usr/bin/docker "$place/bin/docker"
namespace=webagent-$$
subnet=10.213.$(($$ % 200 + 20))
daemon= command=
cleanup() {
  [ -z "$command" ] || { kill "$command" 2>/dev/null && wait "$command" || :; }
  [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" || :; }
  ip netns delete $namespace 2>/dev/null || :
  iptables -t nat -D POSTROUTING -s $subnet.0/30 -j MASQUERADE 2>/dev/null || :
}
trap cleanup EXIT
trap 'exit 143' INT TERM
ip netns add $namespace
ip link add wa$$ type veth peer name wb$$
ip link set wb$$ netns $namespace
ip addr add $subnet.1/30 dev wa$$
ip link set wa$$ up
inside="nsenter --net=/var/run/netns/$namespace"
$inside ip addr add $subnet.2/30 dev wb$$
$inside ip link set wb$$ up
$inside ip link set lo up
$inside ip route add default via $subnet.1
iptables -t nat -A POSTROUTING -s $subnet.0/30 -j MASQUERADE
sysctl -qw net.ipv4.ip_forward=1

export DOCKER_HOST="unix://$place/docker.sock" PATH="$place/bin:$PATH"
$inside dockerd --data-root "$place/data" --exec-root "$place/exec" --pidfile "$place/pid" --host "$DOCKER_HOST" \
  >"$place/dockerd.log" 2>&1 &
daemon=$!
tries=0
until docker info >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ $tries -gt 240 ] || ! kill -0 $daemon 2>/dev/null; then
    echo "Docker does not start: $(tail -n 1 "$place/dockerd.log")"
    exit 1
  fi
  sleep 0.5
done
# in the background, because a shell handles a signal only between its commands
$inside "$@" &
command=$!
status=0
wait $command || status=$?
command=
exit $status
