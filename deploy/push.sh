#!/bin/sh
# Builds an image for amd64 and arm64 and pushes it, with an SBOM and its provenance: sh deploy/push.sh TARGET OWNER
# OWNER is a registry with a path, such as registry.example/webagent. It needs docker buildx, and qemu for the other platform.
set -eu
target=$1
# names of images have no capital letters, and those of accounts may
owner=$(printf %s "$2" | tr '[:upper:]' '[:lower:]')
version=$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' apps/server/package.json)
# the names and tags that the Helm chart and the Compose files use
case $target in
  server) image=$owner/webagent-server:$version ;;
  chromium) image=$owner/webagent-server:$version-chromium ;;
  harness) image=$owner/webagent:$version ;;
  nightly) image=$owner/webagent-nightly:$version ;;
  *) echo "No image $target. There are: server, chromium, harness, nightly."; exit 2 ;;
esac
docker buildx build --platform linux/amd64,linux/arm64 --file deploy/Dockerfile --target "$target" --tag "$image" \
  --build-arg "VERSION=$version" --build-arg "REVISION=$(git rev-parse HEAD)" --sbom=true --provenance=true --push .
