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

/** The images of the server. */
export const serverImages: ReadonlyArray<Image> = [
  { target: "server", tag: "webagent-server", most_MB: 200 },
  { target: "chromium", tag: "webagent-server:chromium", most_MB: 450 }
]

/** The images of the harness. */
export const harnessImages: ReadonlyArray<Image> = [
  { target: "harness", tag: "webagent", most_MB: 230 },
  { target: "nightly", tag: "webagent-nightly", most_MB: 230 }
]

const caFile = process.env["NODE_EXTRA_CA_CERTS"]

/** Prints files that an image must not have (package managers, caches, and a second Node), then its user, then its packages. */
const inspection = `
for name in npm npx pnpm corepack yarn; do command -v $name; done
find / -xdev \\( -name .npm -o -name .pnpm-store -o -name _cacache -o -path "/var/lib/apt/lists/*_Packages*" -o -path "*/archives/*.deb" \\) -print 2>/dev/null
find / -xdev -type f -name node -size +1M ! -path /usr/local/bin/node 2>/dev/null
echo "user $(id -u)"
cat /opt/webagent/sbom.cdx.json`

/** Checks an image: its size, user, labels, health check and content. Returns its size in MB. */
const checkImage = async (engine: Engine, { most_MB, tag, target }: Image, signal: AbortSignal): Promise<number> => {
  const [image] = JSON.parse(await need([engine.name, "image", "inspect", tag]))
  const { Config: config, Size: size } = image
  const size_MB = size / 1e6
  assert.ok(size_MB <= most_MB, `${tag} has ${size_MB.toFixed(0)} MB, and at most ${most_MB} MB are allowed`)
  assert.equal(config.User, "node", `${tag} runs as ${config.User}`)
  for (const label of ["title", "version", "revision", "licenses"])
    assert.ok(config.Labels?.[`org.opencontainers.image.${label}`], `${tag} has no label ${label}`)
  const isServer = target === "server" || target === "chromium"
  // podman has it next to the configuration
  if (isServer) assert.ok(config.Healthcheck ?? image.Healthcheck, `${tag} has no HEALTHCHECK`)
  const options = ["--rm", "--no-healthcheck", "--entrypoint", "sh"]
  const printed = await need([engine.name, "run", ...options, tag, "-c", inspection], { signal })
  const [leftovers = "", packages = ""] = printed.split(/^user 1000$/mu)
  assert.equal(leftovers, "", `${tag} has files of its build, or another user`)
  assert.equal(JSON.parse(packages).bomFormat, "CycloneDX")
  return size_MB
}

/** Runs a part of the test with an engine. */
export type RunWithEngine = (engine: Engine, base: BaseImages, signal: AbortSignal) => Promise<string>

/** Builds images, one after the other, because they share their stages. Checks them, and returns their sizes as a sentence. */
export const makeImages =
  (images: ReadonlyArray<Image>): RunWithEngine =>
  async (engine, { areStandIns, registry }, signal) => {
    const format = engine.name === "podman" ? ["--format", "docker"] : []
    const secret = caFile === undefined ? [] : ["--secret", `id=ca,src=${caFile}`]
    const revision = await need(["git", "rev-parse", "HEAD"])
    const args = ["--build-arg", `REGISTRY=${registry}`, "--build-arg", `REVISION=${revision}`]
    const sizes: Array<string> = []
    for (const image of images) {
      const file = ["--file", "deploy/Dockerfile", "--target", image.target, "--tag", image.tag, "."]
      await need([engine.name, "build", ...format, ...secret, ...args, ...file], { env: buildEnv, signal })
      sizes.push(`${image.tag} ${(await checkImage(engine, image, signal)).toFixed(0)} MB`)
    }
    const standIns = areStandIns ? ", from Debian packages because no image registry can be reached" : ""
    return `${sizes.join(", ")}; built with ${engine.name} ${engine.version}${standIns}`
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
  const options = ["--rm", "--user", "0", `${registry}/debian:bookworm-slim`]
  const command = [engine.name, "run", ...options, "sh", "-c", resolve, "sh"]
  return `${await need([...command, ...packages], { signal })} Debian packages resolve for arm64, Chromium among them`
}
