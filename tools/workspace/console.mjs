/**
 * Builds the web console if its sources have changed: `node tools/workspace/console.mjs build`. With `build harness`, it
 * builds the screens of the harness. Without `build`, it also serves a simulated service with the console on a free port:
 * `npm run console`.
 */
import { spawn } from "node:child_process"
import { createHash, randomInt } from "node:crypto"
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..")
const app = join(root, "apps", "console")

/** The name of the file with the fingerprint of a build. */
const stamp = ".built"

const hasBuild = (dist, fingerprint) => {
  const file = join(dist, stamp)
  return existsSync(file) && readFileSync(file, "utf8") === fingerprint
}

/** The files that the console is made of. */
const sources = [
  "apps/console/{index.html,package.json,vite.config.ts}",
  "apps/console/src/**/*.*",
  "packages/{cli,contract,harness/{api,findings,load,nights,report,statistics},service/{admin,control}}/src/**/*.ts",
  "pnpm-lock.yaml"
]

const fingerprint = () => {
  const hash = createHash("sha256")
  for (const file of globSync(sources, { cwd: root }).toSorted())
    hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest("hex")
}

/** Resolves to the exit code of a program of Node, which ends with this process. */
const run = (args, options) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, options)
    process.on("SIGTERM", () => child.kill())
    child.on("error", () => resolve(1)).on("close", (code) => resolve(code ?? 1))
  })

/** Puts a build in the place of the old one. Other processes may do the same at this moment. */
const putInPlace = (made, dist, fingerprint) => {
  for (;;) {
    try {
      // its files may be in use already
      if (hasBuild(dist, fingerprint)) return rmSync(made, { recursive: true, force: true })
      rmSync(dist, { recursive: true, force: true })
      return renameSync(made, dist)
    } catch (error) {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
    }
  }
}

/** Builds a page unless it's there already; ends the process with a sentence if that fails. */
const buildPage = async (folder, mode) => {
  const dist = join(app, folder)
  const wanted = fingerprint()
  if (hasBuild(dist, wanted)) return
  process.stderr.write(`building ${folder} of the console, once ...\n`)
  const vite = join(app, "node_modules", "vite", "bin", "vite.js")
  const made = `${dist}-${process.pid}`
  const code = await run([vite, "build", "--mode", mode, "--outDir", made, "--logLevel", "error"], {
    cwd: app,
    stdio: ["ignore", 2, 2],
    // a test has another one, with which React is built for development
    env: { ...process.env, NODE_ENV: "production" }
  })
  if (code !== 0) {
    rmSync(made, { recursive: true, force: true })
    process.stderr.write("Cannot build the console. Install everything with: node tools/workspace/install.mjs all\n")
    process.exit(1)
  }
  writeFileSync(join(made, stamp), wanted)
  putInPlace(made, dist, wanted)
}

/** Builds the server's console unless it's there already. */
export const buildConsole = () => buildPage("dist", "production")

/** Builds the screens of reports, which are pages of one file, unless they are there already. */
export const buildReports = () => buildPage("dist-export", "export")

/** Returns true if the screens of reports are there, and are made of these sources. */
export const hasReports = () => hasBuild(join(app, "dist-export"), fingerprint())

/** Builds the screens of the harness unless they are there already: for its server, and for pages of one file. */
export const buildHarness = async () => {
  await buildPage("dist-harness", "harness")
  await buildReports()
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** The first port of a service that is started by hand. */
const firstPort = 4400

const freePort = async () => {
  for (let port = firstPort; port < firstPort + 100; port++) if (await isFree(port)) return port
  return 0
}

/** Runs the harness in this terminal, and resolves to its exit code. Ctrl-C reaches it without this process. */
export const harness = async (args) => {
  process.on("SIGINT", () => undefined)
  const main = join(root, "apps", "harness", "src", "main.ts")
  return run(["--conditions=@webagent/source", main, ...args], { stdio: "inherit" })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first, ...more] = process.argv.slice(2)
  await (first === "build" && more[0] === "harness" ? buildHarness() : buildConsole())
  if (first !== "build") {
    const args = first === undefined ? [] : [first, ...more]
    const port = args.some((word) => /^--port(?:=|$)/u.test(word)) ? [] : ["--port", String(await freePort())]
    // runs of the default profile are over before anyone sees their steps
    const profile = args.some((word) => /^--(?:profile|turn-duration)(?:=|$)/u.test(word))
      ? []
      : ["--profile", "realistic"]
    // with the same ids after each start, an old link would open another run
    const isSeeded = args.some((word) => /^--seed(?:=|$)/u.test(word)) || process.env.WEBAGENT_SERVER_SEED !== undefined
    const seed = isSeeded ? [] : ["--seed", String(randomInt(1, 2 ** 31))]
    process.exitCode = await harness(["serve", ...port, ...profile, ...seed, ...args])
  }
}
