#!/bin/sh
# Runs a command with a Docker engine of its own, on a Debian machine that has none: as root,
#   sh tools/containers/debian.sh npm run test:containers
# It installs Docker, Compose and mmdebstrap from Debian. The engine runs in a network namespace, so that its bridges and
# rules don't change the network of the machine, and it stops with the command. WEBAGENT_CONTAINERS names its folder. If a
# run was killed, the next one removes its processes, mounts and network.
set -eu
[ "$(id -u)" = 0 ] || { echo "tools/containers/debian.sh needs root, to install and to start Docker."; exit 4; }
place=${WEBAGENT_CONTAINERS:-/var/lib/webagent-containers}
mkdir -p "$place/bin"
place=$(cd "$place" && pwd -P)
# the system releases the lock when this script ends, even if it is killed
exec 9>"$place/lock"
if ! flock --nonblock 9; then
  echo "Another run uses $place. Wait for it, or name another folder in WEBAGENT_CONTAINERS."
  exit 4
fi
export DEBIAN_FRONTEND=noninteractive
missing=
for package in docker.io docker-compose mmdebstrap iproute2 iptables; do
  dpkg --status $package >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
  { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >/dev/null 9>&-
fi

# the one of Debian, which has BuildKit, before any other
ln -sfn /usr/bin/docker "$place/bin/docker"
# a folder has the same names in each run
number=$(printf %s "$place" | cksum | cut -d ' ' -f 1)
namespace=webagent-$number
subnet=10.213.$((number % 200 + 20))
inside="nsenter --net=/var/run/netns/$namespace"
daemon= command=

# Processes of the engine in this folder: dockerd, containerd, and the parents of containers; or those with a name.
engine() {
  for process in /proc/[0-9]*; do
    { read -r name <"$process/comm"; } 2>/dev/null || continue
    case $name in ${1:-*}) ;; *) continue ;; esac
    case $name in dockerd | containerd*) ;; *) continue ;; esac
    if { tr '\0' '\n' <"$process/cmdline"; } 2>/dev/null | grep -qF -e "$place/exec" -e "$place/data"; then
      echo "${process#/proc/}"
    fi
  done
}
# Stops the engine that a killed run has left. dockerd stops its containers and containerd, so it's told first.
stop_engine() {
  running=$(engine)
  [ -n "$running" ] || return 0
  first=$(engine dockerd)
  kill ${first:-$running} 2>/dev/null || :
  tries=0
  while running=$(engine) && [ -n "$running" ] && [ $tries -lt 40 ]; do
    tries=$((tries + 1))
    sleep 0.5
  done
  for process in $running; do
    kill -9 $(cat "/proc/$process/task/$process/children" 2>/dev/null) "$process" 2>/dev/null || :
  done
}
remove_network() {
  ip netns delete $namespace 2>/dev/null || :
  ip link delete wa$number 2>/dev/null || :
  iptables -t nat -D POSTROUTING -s $subnet.0/30 -j MASQUERADE 2>/dev/null || :
}
# Removes the engine, network and mounts of this folder, and files with numbers that other processes may have later.
remove_leftovers() {
  stop_engine
  remove_network
  # innermost first
  grep -F -e " $place/data/" -e " $place/exec/" /proc/self/mounts | cut -d ' ' -f 2 | sort -r | while read -r mount; do
    umount --lazy "$mount" 2>/dev/null || :
  done
  rm -f "$place/pid" "$place/docker.sock" "$place/exec/containerd/containerd.pid"
}
cleanup() {
  # a second Ctrl-C does not interrupt this
  trap '' HUP INT TERM
  [ -z "$command" ] || { kill "$command" 2>/dev/null && wait "$command" || :; }
  [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" || :; }
  remove_leftovers
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
remove_leftovers
ip netns add $namespace
ip link add wa$number type veth peer name wb$number
ip link set wb$number netns $namespace
ip addr add $subnet.1/30 dev wa$number
ip link set wa$number up
$inside ip addr add $subnet.2/30 dev wb$number
$inside ip link set wb$number up
$inside ip link set lo up
$inside ip route add default via $subnet.1
iptables -t nat -A POSTROUTING -s $subnet.0/30 -j MASQUERADE
sysctl -qw net.ipv4.ip_forward=1

export DOCKER_HOST="unix://$place/docker.sock" PATH="$place/bin:$PATH"
# in a session of its own, because Ctrl-C would stop the engine before the command has removed its containers
setsid $inside dockerd --data-root "$place/data" --exec-root "$place/exec" --pidfile "$place/pid" --host "$DOCKER_HOST" \
  >"$place/dockerd.log" 2>&1 9>&- &
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
$inside "$@" 9>&- &
command=$!
status=0
wait $command || status=$?
command=
exit $status
