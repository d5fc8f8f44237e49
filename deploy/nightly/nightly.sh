#!/bin/sh
# One night, for cron or a container. Says nothing when all is well; else what the harness said, and its exit code.
#
# WEBAGENT_HOME    where history and reports are kept; default: .webagent/nightly of this repository
# WEBAGENT_TARGET  the service; default: a simulated one. Its key: WEBAGENT_API_KEY
# WEBAGENT_NIGHT   further flags, such as "--trials 5 --max-cost 5.00 --max-time 2h"; default: --trials 5
# WEBAGENT_KEEP    how many nights' reports to keep; default: 30. The history is never cut.
set -eu
umask 077

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
home=${WEBAGENT_HOME:-$root/.webagent/nightly}
keep=${WEBAGENT_KEEP:-30}
mkdir -p "$home/reports"

# a night that outlasts its day must not be joined by the next
if ! mkdir "$home/lock" 2>/dev/null; then
  holder=$(cat "$home/lock/pid" 2>/dev/null) || holder=
  # every container counts its processes from 1: one that was killed had the number that this one has
  if [ -n "$holder" ] && [ "$holder" != "$$" ] && kill -0 "$holder" 2>/dev/null; then
    echo "The night before still runs (process $holder): this one is left out."
    exit 1
  fi
fi
echo $$ >"$home/lock/pid"
child=
finish() { rm -rf "$home/lock"; }
trap finish EXIT
# whoever stops the night stops the harness, which then stops what it holds
trap '[ -z "$child" ] || kill -TERM "$child" 2>/dev/null' INT TERM

night=$home/reports/$(date -u +%Y-%m-%dT%H-%M-%SZ)
# two of one second, as when the first was called wrongly, have folders of their own
mkdir "$night" 2>/dev/null || { night=$night-$$ && mkdir "$night"; }
cd "$root"
node tools/workspace/install.mjs harness >"$night/console.txt" 2>&1 || { cat "$night/console.txt"; exit 1; }
# the Node that the lockfile brings; and no npm in between, which would keep a signal to itself
PATH=$root/node_modules/.bin:$PATH
# the seed is the day: another one every night, and the same when the night is run again
# shellcheck disable=SC2086 # the flags are several words
node --conditions=@webagent/source apps/harness/src/main.ts run ${WEBAGENT_NIGHT:---trials 5} ${WEBAGENT_TARGET:+--target "$WEBAGENT_TARGET"} \
  --seed "$(date -u +%Y%m%d)" --history "$home/history.ndjson" --record --report-dir "$night" \
  >>"$night/console.txt" 2>&1 &
child=$!
code=0
wait "$child" || code=$?
# a wait that a signal ended is not the end of the harness
while kill -0 "$child" 2>/dev/null; do wait "$child" || code=$?; done
[ "$code" -eq 0 ] || cat "$night/console.txt"

# names sort by time
find "$home/reports" -mindepth 1 -maxdepth 1 -type d | sort -r | tail -n "+$((keep + 1))" | while read -r old; do rm -rf "$old"; done
exit "$code"
