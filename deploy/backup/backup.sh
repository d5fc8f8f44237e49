#!/bin/sh
# Makes one backup in a new folder of $BACKUP_FOLDER, named by the time in UTC. Its arguments are a command that writes
# the database to the file that is added as the last argument:
#   backup.sh webagent-server backup              with WEBAGENT_SERVER_DATA, for a database file
#   backup.sh pg_dump --format=custom --file      with PGHOST and PGDATABASE, for Postgres
# BACKUP_FILES   the folder with the files of workspaces; it becomes files.tar
# BACKUP_KEEP    keep this many backups, the newest (default: 14)
# BACKUP_EVERY   make one again and again, after this many seconds; without it, once
set -eu
umask 077
: "${BACKUP_FOLDER:?Set BACKUP_FOLDER}"
keep=${BACKUP_KEEP:-14}

backup() {
  name=$(date -u +%Y-%m-%dT%H%M%SZ)
  part=$BACKUP_FOLDER/.$name.part
  mkdir -p "$BACKUP_FOLDER"
  # left by a backup that was killed
  rm -rf "$BACKUP_FOLDER"/.*.part
  mkdir "$part"
  "$@" "$part/database" || return
  # after the database, so that every file that it names is there; 1 means that a file was deleted meanwhile
  if [ -n "${BACKUP_FILES:-}" ]; then
    tar -C "$BACKUP_FILES" -cf "$part/files.tar" . || [ $? = 1 ] || return
  fi
  sync -f "$part" 2>/dev/null || sync
  mv "$part" "$BACKUP_FOLDER/$name" || return
  echo "Backed up to $BACKUP_FOLDER/$name"
  # only after a backup that worked, so that failures never delete the last good one
  for folder in $(cd "$BACKUP_FOLDER" && ls -d 20*Z | sort -r | tail -n "+$((keep + 1))"); do
    rm -rf "${BACKUP_FOLDER:?}/$folder"
  done
}

if [ -z "${BACKUP_EVERY:-}" ]; then
  backup "$@"
  exit
fi
while :; do
  backup "$@" || echo "The backup failed. Trying again in $BACKUP_EVERY s" >&2
  sleep "$BACKUP_EVERY" &
  # so that a stop doesn't wait for the sleep
  trap 'kill $!; exit 0' TERM INT
  wait $!
done
