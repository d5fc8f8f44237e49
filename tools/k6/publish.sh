#!/bin/sh
# Publishes the packages that packages.mjs made, those of the platforms first: sh tools/k6/publish.sh FOLDER. Skips versions
# that the registry has, so that a failed release can be repeated.
set -eu
cd "$1"
for folder in k6-* k6; do
  version=$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' "$folder/package.json")
  # npm prints nothing for a version that doesn't exist
  [ -n "$(npm view "@webagent/$folder@$version" name 2>/dev/null || :)" ] ||
    npm publish --provenance --access public "./$folder"
done
