#!/bin/sh
# Runs one night, for cron or a container. Prints nothing if everything passed. Otherwise, prints the output of the
# harness and exits with its code.
#
# WEBAGENT_HOME    where history and reports are kept; default: .webagent/nightly of this repository
# WEBAGENT_TARGET  the service; default: a simulated one. Its key: WEBAGENT_API_KEY
# WEBAGENT_NIGHT   further flags, such as "--max-cost 5.00 --max-time 2h"; default: none, for the setting of run --record
# WEBAGENT_HARNESS the harness to run, a file for Node; default: that of this repository, which is installed first
# WEBAGENT_KEEP    how many nights' reports to keep; default: 30. The history is never cut.
set -eu
umask 077

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
home=${WEBAGENT_HOME:-$root/.webagent/nightly}
keep=${WEBAGENT_KEEP:-30}
case $keep in
  '' | 0 | *[!0-9]*) echo "WEBAGENT_KEEP must be a number of nights, 1 or more, not \"$keep\"."; exit 2 ;;
esac
mkdir -p "$home/reports"

# a night that takes longer than a day must not run together with the next one
busy() { echo "The previous night is still running ($1), so this one is skipped."; exit 1; }
if command -v flock >/dev/null; then
  # the system's own lock, which the harness also holds: it's released when both have exited
  exec 9>>"$home/running"
  flock -n 9 || busy "process $(tail -n 1 "$home/running")"
  { echo $$ >"$home/running"; } 2>/dev/null || :
  finish() { :; }
else
  if ! mkdir "$home/lock" 2>/dev/null; then
    holder=$(cat "$home/lock/pid" 2>/dev/null) || holder=
    # every container counts its processes from 1, so a killed one may have had the id of this process
    if [ -n "$holder" ] && [ "$holder" != "$$" ] && kill -0 "$holder" 2>/dev/null; then
      busy "process $holder; if it doesn't exist, remove $home/lock"
    fi
  fi
  echo $$ >"$home/lock/pid"
  finish() { rm -rf "$home/lock"; }
fi
child= stopped=
trap finish EXIT
# a signal to the night stops what it runs: the harness then stops what it holds
trap 'stopped=1; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || :' INT TERM
# sets $code to the exit code of the child; a signal interrupts a wait, so wait again
await() {
  code=0
  wait "$child" || code=$?
  while kill -0 "$child" 2>/dev/null; do wait "$child" || code=$?; done
}
# runs a tool before the harness; if it's stopped, so is the night
prepare() {
  node "$@" >>"$night/console.txt" 2>&1 &
  child=$!
  await
  child=
  [ -z "$stopped" ] || { echo "The night was stopped before it began: $night"; exit 143; }
  return "$code"
}

night=$home/reports/$(date -u +%Y-%m-%dT%H-%M-%SZ)
# two nights that start in the same second get different folders
mkdir "$night" 2>/dev/null || { night=$night-$$ && mkdir "$night"; }
if [ -n "${WEBAGENT_HARNESS:-}" ]; then
  harness() { exec node "$WEBAGENT_HARNESS" "$@"; }
else
  cd "$root"
  prepare tools/workspace/install.mjs harness || {
    cat "$night/console.txt"
    echo "The harness could not be installed (exit code $code): $night"
    exit 1
  }
  # builds the screens of the report once; without them, the report is still written
  prepare tools/workspace/install.mjs console && prepare tools/workspace/console.mjs build harness || :
  # the lockfile's Node, without npm in between, which wouldn't pass on a signal
  PATH=$root/node_modules/.bin:$PATH
  harness() { exec node --conditions=@webagent/source apps/harness/src/main.ts "$@"; }
fi

# stop the leftovers of a killed night, and report them
for cut in "$home"/reports/*/; do
  [ -n "${WEBAGENT_TARGET:-}" ] && [ -d "${cut}ledger" ] && [ ! -e "${cut}reaped" ] || continue
  tail -n 1 "${cut}events.ndjson" 2>/dev/null | grep -q '"_tag":"RunFinished"' && continue
  echo "The night in $cut was killed. Its leftovers:"
  left=0
  (harness cleanup --ledger "${cut}ledger" --target "$WEBAGENT_TARGET") 2>&1 || left=$?
  # report leftovers that can't be stopped only once
  [ "$left" -gt 1 ] || : >"${cut}reaped"
done

# the seed is the day: another one every night, and the same when the night is run again
# shellcheck disable=SC2086 # the flags are several words
harness run ${WEBAGENT_NIGHT:-} ${WEBAGENT_TARGET:+--target "$WEBAGENT_TARGET"} \
  --seed "$(date -u +%Y%m%d)" --history "$home/history.ndjson" --record --report-dir "$night" \
  >>"$night/console.txt" 2>&1 &
child=$!
await
if [ "$code" -ne 0 ]; then
  cat "$night/console.txt"
  # the reason may be a full disk
  echo "The night ended with exit code $code: $night ($(df -P "$home" | awk 'NR == 2 { print $4 }') KiB are free there)"
fi

# names sort by time; of a clock that was put back tonight may be the oldest
find "$home/reports" -mindepth 1 -maxdepth 1 -type d ! -path "$night" | sort -r | tail -n "+$keep" | while read -r old; do rm -rf "$old"; done
exit "$code"
