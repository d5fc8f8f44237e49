import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { root } from "./build/workspace.ts"
import { buildEnv, type Engine, need, run } from "./Engine.ts"
import { Lacking } from "./Report.ts"

/** The registry of stand-ins. No image of another has their names, so a stand-in is never taken for an official image. */
const localRegistry = "localhost/webagent-stand-in"

const node = "24.21.0-bookworm-slim"

/** The images that others are built from, or that Compose starts. */
export interface BaseImages {
  readonly registry: string
  /** True if they are stand-ins made of Debian packages. */
  readonly areStandIns: boolean
}

const docs = ["path-exclude=/usr/share/doc/*", "path-include=/usr/share/doc/*/copyright"]
const texts = ["path-exclude=/usr/share/man/*", "path-exclude=/usr/share/locale/*"]

/** Makes Debian's slim image of its packages. */
const makeDebian = async (archive: string, signal: AbortSignal): Promise<void> => {
  if (existsSync(archive)) return
  if ((await run(["mmdebstrap", "--version"])).code !== 0) {
    throw new Lacking("no image registry can be reached, and mmdebstrap, which makes base images, is not installed.")
  }
  mkdirSync(dirname(archive), { recursive: true })
  const clean =
    'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/*; mkdir -p "$1"/var/lib/apt/lists/partial'
  const sources = [
    "deb http://deb.debian.org/debian bookworm main",
    "deb http://deb.debian.org/debian-security bookworm-security main"
  ]
  const merged = ["--include=usr-is-merged", "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"]
  // as in the official image: a build that is killed is thrown away, so its files needn't be safe on the disk
  const dpkg = ["force-unsafe-io", ...docs, ...texts].map((option) => `--dpkgopt=${option}`)
  const options = ["--variant=minbase", ...merged, ...dpkg, `--customize-hook=${clean}`]
  const part = `${archive}.part.tar`
  // the same packages make the same bytes, so that another clone has the same layers
  const env = { SOURCE_DATE_EPOCH: "0" }
  await need(["mmdebstrap", ...options, "bookworm", part, ...sources], { env, signal })
  await need(["mv", part, archive])
}

/** Builds a stand-in from a file of `stand-ins`. */
const build = async ({ name }: Engine, file: string, tag: string, context: string, signal: AbortSignal) => {
  const options = ["--file", join(root, "tools/containers/stand-ins", file), "--tag", `${localRegistry}/${tag}`]
  await need([name, "build", ...options, context], { env: buildEnv, signal })
}

const makeStandIns = async (engine: Engine, signal: AbortSignal): Promise<void> => {
  const archive = join(root, "node_modules/.cache/webagent-containers/debian.tar")
  await makeDebian(archive, signal)
  await need([engine.name, "import", archive, `${localRegistry}/debian:bookworm-slim`], { signal })
  const context = mkdtempSync(join(tmpdir(), "webagent-stand-in-"))
  try {
    copyFileSync(realpathSync(process.execPath), join(context, "node"))
    const npm = dirname(dirname(realpathSync((await need(["sh", "-c", "command -v npm"])).trim())))
    cpSync(npm, join(context, "npm"), { recursive: true, dereference: true })
    await build(engine, "node.Dockerfile", `node:${node}`, context, signal)
  } finally {
    rmSync(context, { recursive: true })
  }
}

/** Throws `Lacking` if the disk of an engine is too full. A disk that can't be read, for example on another machine, is not. */
export const needSpace = async ({ name }: Engine, least_GB = 6): Promise<void> => {
  const field = name === "docker" ? "{{.DockerRootDir}}" : "{{.Store.GraphRoot}}"
  const folder = (await run([name, "info", "--format", field])).text.trim()
  if (!existsSync(folder)) return
  const { bavail, bsize } = statfsSync(folder)
  const free_GB = (bavail * bsize) / 1e9
  if (free_GB >= least_GB) return
  throw new Lacking(`${name} has ${free_GB.toFixed(1)} GB of disk space left, and the images take ${least_GB} GB.`)
}

/** Gets the images that ours are built from: pulled, or made of Debian packages where no registry can be reached. */
export const baseImages = async (engine: Engine, signal: AbortSignal): Promise<BaseImages> => {
  await needSpace(engine)
  const official = [`docker.io/library/debian:bookworm-slim`, `docker.io/library/node:${node}`]
  const pulled = await Promise.all(official.map((image) => run([engine.name, "pull", "--quiet", image], { signal })))
  if (pulled.every(({ code }) => code === 0)) return { registry: "docker.io/library", areStandIns: false }
  await makeStandIns(engine, signal)
  return { registry: localRegistry, areStandIns: true }
}

/** Makes the stand-ins for the images that Compose starts, and returns the file that names them. */
export const composeStandIns = async (engine: Engine, signal: AbortSignal): Promise<string> => {
  const context = join(root, "tools/containers/stand-ins")
  await build(engine, "postgres.Dockerfile", "postgres", context, signal)
  await build(engine, "haproxy.Dockerfile", "haproxy", context, signal)
  return join(context, "compose.yaml")
}
