import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { BaseImages } from "./BaseImages.ts"
import { root } from "./build/workspace.ts"
import { buildEnv, type Engine, need } from "./Engine.ts"

/** An image that we publish, with its size limit in MB. */
export interface Image {
  readonly target: string
  readonly tag: string
  readonly most_MB: number
}

/** All images that we publish. */
export const images: ReadonlyArray<Image> = [
  { target: "server", tag: "webagent-server", most_MB: 200 },
  { target: "chromium", tag: "webagent-server:chromium", most_MB: 450 },
  { target: "harness", tag: "webagent", most_MB: 230 },
  { target: "nightly", tag: "webagent-nightly", most_MB: 230 }
]

const caFile = process.env["NODE_EXTRA_CA_CERTS"]

/** Builds all images, one after the other, because they share their first stages. */
export const buildImages = async (engine: Engine, { registry }: BaseImages, signal: AbortSignal): Promise<void> => {
  const format = engine.name === "podman" ? ["--format", "docker"] : []
  const secret = caFile === undefined ? [] : ["--secret", `id=ca,src=${caFile}`]
  const revision = await need(["git", "rev-parse", "HEAD"])
  const args = ["--build-arg", `REGISTRY=${registry}`, "--build-arg", `REVISION=${revision}`]
  for (const { tag, target } of images) {
    await need(
      [
        engine.name,
        "build",
        ...format,
        ...secret,
        ...args,
        "--file",
        "deploy/Dockerfile",
        "--target",
        target,
        "--tag",
        tag,
        "."
      ],
      { env: buildEnv, signal }
    )
  }
}

/** Files that an image must not have: package managers, caches, and a second Node. */
const leftovers = `
for name in npm npx pnpm corepack yarn; do command -v $name; done
find / -xdev \\( -name .npm -o -name .pnpm-store -o -name _cacache -o -path "/var/lib/apt/lists/*_Packages*" -o -path "*/archives/*.deb" \\) -print 2>/dev/null
find / -xdev -type f -name node -size +1M ! -path /usr/local/bin/node 2>/dev/null
true`

/** Checks an image: its size, user, labels, health check and content. Returns its size in MB. */
const checkImage = async (engine: Engine, { most_MB, tag, target }: Image): Promise<number> => {
  const [{ Config: config, Size: size }] = JSON.parse(await need([engine.name, "image", "inspect", tag]))
  const size_MB = size / 1e6
  assert.ok(size_MB <= most_MB, `${tag} has ${size_MB.toFixed(0)} MB, and at most ${most_MB} MB are allowed`)
  assert.equal(config.User, "node", `${tag} runs as ${config.User}`)
  for (const label of ["title", "version", "revision", "licenses"])
    assert.ok(config.Labels?.[`org.opencontainers.image.${label}`], `${tag} has no label ${label}`)
  const isServer = target === "server" || target === "chromium"
  if (isServer) assert.ok(config.Healthcheck, `${tag} has no HEALTHCHECK`)
  const inside = (script: string) => need([engine.name, "run", "--rm", "--entrypoint", "sh", tag, "-c", script])
  assert.equal(await inside(leftovers), "", `${tag} has files of its build`)
  assert.equal(await inside("id -u"), "1000")
  const sbom = JSON.parse(await inside("cat /opt/webagent/sbom.cdx.json"))
  assert.equal(sbom.bomFormat, "CycloneDX")
  return size_MB
}

/** Checks all images, and returns their sizes as a sentence. */
export const checkImages = async (engine: Engine): Promise<string> => {
  const sizes: Array<string> = []
  for (const image of images) sizes.push(`${image.tag} ${(await checkImage(engine, image)).toFixed(0)} MB`)
  return sizes.join(", ")
}

/** Returns the Debian packages that the Dockerfile installs for a platform. */
export const debianPackages = (dockerfile: string, architecture: "amd64" | "arm64"): ReadonlyArray<string> =>
  Array.from(dockerfile.matchAll(/--no-install-recommends((?:[^&]|&(?!&))*)&&/gu), ([, list = ""]) =>
    list
      .replaceAll(/\$\(\[.*?echo ([\w-]+)\)/gu, architecture === "amd64" ? "" : "$1")
      .replaceAll("\\", " ")
      .split(/\s+/u)
      .filter((word) => word !== "")
  ).flat()

const resolve = `
set -e
d=/tmp/apt; mkdir -p $d/lists/partial $d/archives/partial; : >$d/status
o="-o Dir::State=$d -o Dir::State::Lists=$d/lists -o Dir::State::status=$d/status -o Dir::Cache=$d"
o="$o -o APT::Architecture=arm64 -o APT::Architectures::=arm64"
apt-get $o update -q >/dev/null
apt-get $o install -s -q --no-install-recommends bash coreutils "$@" | grep -c ^Inst
`

/** Resolves Debian's packages of the images for arm64, without an arm64 machine. */
export const resolveArm = async (engine: Engine, { registry }: BaseImages, signal: AbortSignal): Promise<string> => {
  const packages = debianPackages(readFileSync(join(root, "deploy/Dockerfile"), "utf8"), "arm64")
  assert.ok(packages.includes("chromium-headless-shell"))
  const command = [
    engine.name,
    "run",
    "--rm",
    "--user",
    "0",
    `${registry}/debian:bookworm-slim`,
    "sh",
    "-c",
    resolve,
    "sh"
  ]
  return `${await need([...command, ...packages], { signal })} Debian packages resolve for arm64, Chromium among them`
}
