/**
 * Installs what a command needs, and nothing when it is there already: `node tools/workspace/install.mjs harness|console|server|images|all`.
 *
 * Runs on the Node that the user has (20 is enough), before any dependency exists, so it imports Node alone.
 * pnpm is fetched by npx at the version that package.json pins; on Linux the lockfile brings Node 24 itself.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const stamp = join(root, "node_modules", ".webagent-installed.json")

// pnpm would look up the age of every version in the lockfile: 160 MB of metadata for the 15 packages that run here
const harness = ["--trust-lockfile", "--prod", "--filter", "webagent", "--filter", "webagent-harness..."]

// with React and Vite, which build the console
const console = [...harness, "--filter", "@webagent/console..."]

/** The packages that each kind of install covers, smallest first; `all` has the development tools, too. */
const scopes = {
  harness,
  console,
  // with Chromium, which nothing else needs to run
  server: [...console, "--filter", "webagent-server..."],
  // what container images are built from, with the compiler and the bundler
  images: [
    "webagent",
    "webagent-harness...",
    "webagent-server...",
    "@webagent/console...",
    "@webagent/packaging",
    "@webagent/containers"
  ].flatMap((name) => ["--filter", name]),
  all: []
}

/** Whether an install covers another one. */
const covers = (one, other) => Object.keys(scopes).indexOf(one) >= Object.keys(scopes).indexOf(other)

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

/** Fewer and shorter tries than npm and pnpm make by themselves: what cannot be reached is said within two minutes. */
const bounds = {
  fetch_retries: "1",
  fetch_retry_mintimeout: "1000",
  fetch_retry_maxtimeout: "5000",
  fetch_timeout: "30000"
}

/** pnpm reads `pnpm_config_*` alone: what npm is told about the network holds for both. */
const networkSettings = ["registry", "cafile", "ca", "proxy", "https_proxy", "noproxy", "strict_ssl"]

/**
 * Whatever the user has set for other projects: pnpm and Node itself are optional packages, each for a platform, and
 * programs run from where pnpm links them.
 */
const needed = {
  npm_config_include: "optional",
  npm_config_prefer_offline: "true",
  pnpm_config_node_linker: "isolated",
  pnpm_config_optional: "true"
}

/** The environment of npx and pnpm; a limit that the user has set is kept. */
const environment = () => {
  const given = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name.toLowerCase(), value]))
  const kept = Object.entries(process.env).filter(([name]) => needed[name.toLowerCase()] === undefined)
  const env = { ...Object.fromEntries(kept), ...needed, CI: "true" }
  for (const [name, limit] of Object.entries(bounds)) {
    const value = given[`npm_config_${name}`] ?? limit
    env[`npm_config_${name}`] = value
    env[`pnpm_config_${name}`] = given[`pnpm_config_${name}`] ?? value
  }
  for (const name of networkSettings) {
    const value = given[`pnpm_config_${name}`] || given[`npm_config_${name}`]
    if (value) env[`pnpm_config_${name}`] = value
  }
  return env
}

/** What npm and pnpm print when the network or the machine refuses, and what to do about it. */
const causes = [
  {
    pattern:
      /\b(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w*(?:CERT|SIGNATURE)\w*|CERT_\w+)\b|UnknownIssuer|invalid peer certificate/u,
    says: (from, code) =>
      `the certificate of ${from} is not trusted (${code}); set NODE_EXTRA_CA_CERTS to the file of your certificate authority`
  },
  {
    pattern:
      /\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|EHOSTUNREACH|ENETUNREACH)\b|Connection refused|failed to lookup address/u,
    says: (from, code) =>
      `${from} cannot be reached (${code}); check the network, HTTPS_PROXY and npm's registry setting`
  },
  {
    pattern: /\b(?:ETIMEDOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b|timed? ?out|error sending request/iu,
    says: (from, code) =>
      `${from} did not answer in time (${code}); check the network, HTTPS_PROXY and npm's registry setting`
  },
  {
    pattern: /\bE40[13]\b|\b40[13] (?:Unauthorized|Forbidden)|ERR_PNPM_FETCH_40[13]/u,
    says: (from, code) => `${from} refused the credentials (${code}); check the registry's token in your .npmrc`
  },
  {
    pattern: /\bENOSPC\b|No space left on device/u,
    says: (_, code) => `the disk is full (${code}); make room and run the command again`
  },
  {
    pattern: /\bERR_PNPM_UNEXPECTED_(?:VIRTUAL_)?STORE\b/u,
    says: (_, code) =>
      `node_modules comes from another package store (${code}); delete the folder node_modules and run the command again`
  }
]

/** One sentence about why an install failed. */
const explain = (output) => {
  const [url] =
    /https?:\/\/[^\s/"']+/u.exec(output.replaceAll(/https?:\/\/(?:github\.com|docs\.npmjs\.com|pnpm\.io)\S*/gu, "")) ??
    []
  for (const { pattern, says } of causes) {
    const [code] = pattern.exec(output) ?? []
    if (code !== undefined) return says(url ?? "the package registry", code)
  }
  const lines = output.split("\n").map((line) => line.replace(/^(?:npm error|\s*(?:×|ERROR)\s*)/u, "").trim())
  return lines.find((line) => /error|fail|not found/iu.test(line)) ?? "npx ended without a word"
}

/** Steps of pnpm in reverse order; it prints nothing while it fetches the first packages. */
const stages = [
  [/^Lockfile is up to date/mu, "fetching packages"],
  [/Verifying lockfile/u, "checking the lockfile"]
]

/** The step that an install has reached according to its output; undefined before pnpm itself has started. */
export const stageOf = (output) =>
  output.match(/^(?:Progress|Downloading)\b.+$/gmu)?.at(-1) ?? stages.find(([line]) => line.test(output))?.[1]

/** Says every ten seconds how far a command is; pnpm prints its progress, npx does not. */
const heartbeat = (latest) => {
  const start = performance.now()
  return setInterval(() => {
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stderr.write(`  ${seconds} s: ${latest()}\n`)
  }, 10_000)
}

/** Makes sure that `scope` is installed; ends the process with a sentence when that cannot be. */
export const install = async (scope) => {
  if (isOldNode() && !bringsNode) {
    fail(
      `Node ${process.versions.node} is too old here: install Node ${oldestNode.join(".")} or newer from nodejs.org.`
    )
  }
  const wanted = fingerprint()
  const present = installed()
  const node = join(root, "node_modules", ".bin", "node")
  if (present?.fingerprint === wanted && covers(present.scope, scope) && (!bringsNode || existsSync(node))) return

  // an install is never thinned out by a later, smaller one
  const wider = present !== undefined && covers(present.scope, scope) ? present.scope : scope
  const scoped = hasEverything() ? "all" : wider
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  process.stderr.write(
    scoped === "all" ? "installing everything ...\n" : `installing what the ${scoped} needs, once ...\n`
  )
  const child = spawn(
    process.platform === "win32" ? "npx.cmd" : "npx",
    [
      "--yes",
      "--loglevel=error",
      packageManager,
      "--dir",
      root,
      "install",
      "--frozen-lockfile",
      "--prefer-offline",
      "--reporter=append-only",
      // by default, it opens up to 64 connections to check the lockfile, and some stall until the timeout afterwards
      "--network-concurrency=16",
      ...scopes[scoped]
    ],
    // elsewhere npx would run the pnpm of an install that was interrupted
    { cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"], env: environment() }
  )
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text))
  const beat = heartbeat(() => stageOf(output) ?? `getting ${packageManager}`)
  const status = await new Promise((resolve) => child.on("error", resolve).on("close", resolve))
  clearInterval(beat)
  if (status instanceof Error)
    fail(`npx could not be started (${status.message}). It comes with npm: install Node with npm.`)
  mkdirSync(dirname(stamp), { recursive: true })
  if (status !== 0) {
    const log = join(dirname(stamp), ".webagent-install.log")
    writeFileSync(log, output)
    fail(`Cannot install the dependencies: ${explain(output)} (log: ${relative(process.cwd(), log)}).`)
  }
  writeFileSync(stamp, JSON.stringify({ fingerprint: wanted, scope: scoped }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const scope = process.argv[2] ?? "all"
  if (!Object.hasOwn(scopes, scope)) fail(`No install named "${scope}". There are: ${Object.keys(scopes).join(", ")}.`)
  await install(scope)
}
