/**
 * Installs what a command needs, and nothing when it is there already: `node tools/workspace/install.mjs harness|all`.
 *
 * Runs on the Node that the user has (20 is enough), before any dependency exists, so it imports Node alone.
 * pnpm is fetched by npx at the version that package.json pins; on Linux the lockfile brings Node 24 itself.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const stamp = join(root, "node_modules", ".webagent-installed.json")

/** The packages that each kind of install covers; `all` is every package with its development tools. */
const scopes = {
  harness: ["--prod", "--filter", "webagent", "--filter", "webagent-harness...", "--filter", "webagent-server..."],
  all: []
}

/** Effect's Node runtime needs this; Linux on x64 and arm64 brings its own Node, see package.json. */
const oldestNode = [22, 19]

const fail = (sentence) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const isOldNode = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  return major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])
}

const bringsNode = process.platform === "linux" && ["x64", "arm64"].includes(process.arch)

/** What an install depends on: the lockfile, which packages there are, and the platform. */
const fingerprint = () => {
  const hash = createHash("sha256")
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"])
    hash.update(readFileSync(join(root, file)))
  return hash.update(`${process.platform} ${process.arch}`).digest("hex")
}

const installed = () => {
  try {
    return JSON.parse(readFileSync(stamp, "utf8"))
  } catch {
    return undefined
  }
}

/** Whether development tools are installed, by whatever command: pnpm says so itself, in JSON whatever the ending. */
const hasEverything = () => {
  try {
    return (
      JSON.parse(readFileSync(join(root, "node_modules", ".modules.yaml"), "utf8")).included.devDependencies === true
    )
  } catch {
    return false
  }
}

/** Makes sure that `scope` is installed; ends the process with a sentence when that cannot be. */
export const install = (scope) => {
  if (isOldNode() && !bringsNode) {
    fail(
      `Node ${process.versions.node} is too old here: install Node ${oldestNode.join(".")} or newer from nodejs.org.`
    )
  }
  const wanted = fingerprint()
  const present = installed()
  const node = join(root, "node_modules", ".bin", "node")
  if (
    present?.fingerprint === wanted &&
    (present.scope === "all" || present.scope === scope) &&
    (!bringsNode || existsSync(node))
  )
    return

  // an install of everything is never thinned out by a later, smaller one
  const scoped = hasEverything() ? "all" : scope
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  process.stderr.write(
    scoped === "all" ? "installing everything ...\n" : "installing what the harness needs, once ...\n"
  )
  const result = spawnSync(
    process.platform === "win32" ? "npx.cmd" : "npx",
    [
      "--yes",
      packageManager,
      "install",
      "--frozen-lockfile",
      "--prefer-offline",
      "--reporter=append-only",
      ...scopes[scoped]
    ],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, CI: "true" } }
  )
  if (result.error !== undefined)
    fail(`npx could not be started (${result.error.message}). It comes with npm: install Node with npm.`)
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}`)
    fail("The install failed; the lines above say why. Is the package registry reachable?")
  }
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, JSON.stringify({ fingerprint: wanted, scope: scoped }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const scope = process.argv[2] ?? "all"
  if (!Object.hasOwn(scopes, scope)) fail(`No install named "${scope}". There are: ${Object.keys(scopes).join(", ")}.`)
  install(scope)
}
