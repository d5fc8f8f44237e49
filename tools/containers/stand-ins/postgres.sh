# Creates a database on the first start, and then runs it, as the official image does.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres /var/lib/postgresql
  exec setpriv --reuid postgres --regid postgres --init-groups sh "$0"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-host scram-sha-256 --auth-local trust >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options "-c listen_addresses=''" start >/dev/null
  createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait stop >/dev/null
fi
exec postgres -c listen_addresses='*'
