/**
 * Makes the npm packages of our k6: `node tools/k6/packages.mjs FOLDER [linux/amd64 ...]`. As with esbuild, the package
 * @webagent/k6 has one optional dependency for each platform, and npm installs the one for its machine. They are
 * AGPL-3.0, so no package under another license depends on them. Needs Go; plain Node 20 or later, no dependencies.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(fileURLToPath(import.meta.url))
const platforms = ["linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"]
/** Node's names of the platforms whose names differ from Go's. */
const nodeNames = { amd64: "x64", windows: "win32" }
const nodeName = (name) => nodeNames[name] ?? name

const k6 = /go\.k6\.io\/k6\/v2 v(\S+)/.exec(readFileSync(join(home, "go.mod"), "utf8"))[1]
// all packages of a release have one version
const { version } = JSON.parse(readFileSync(join(home, "../../apps/harness/package.json"), "utf8"))
const { GITHUB_REPOSITORY, GITHUB_SERVER_URL } = process.env
const repository =
  GITHUB_REPOSITORY === undefined
    ? {}
    : { repository: { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`, directory: "tools/k6" } }
const common = { version, license: "AGPL-3.0-only", ...repository }

const go = (args, env = {}) =>
  execFileSync("go", args, {
    cwd: home,
    encoding: "utf8",
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off", ...env }
  })

const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const isSource = (name) => (name.endsWith(".go") && !name.endsWith("_test.go")) || ["go.mod", "go.sum"].includes(name)

/** The licenses of the modules that a binary consists of. */
const noticesFor = (env) => {
  const modules = go(["list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}", "."], env)
  return [...new Set(modules.split("\n").filter((line) => line !== ""))]
    .toSorted()
    .map((line) => {
      const [name, folder] = line.split("\t")
      const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file))
      return `${name}\n\n${files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n")}`
    })
    .join(`\n${"-".repeat(72)}\n`)
}

/** Makes the package of a platform; returns its name. */
const makePlatform = (folder, platform) => {
  const [os, arch] = platform.split("/")
  const id = `${nodeName(os)}-${nodeName(arch)}`
  const place = join(folder, `k6-${id}`)
  const binary = join(place, "bin", os === "windows" ? "k6.exe" : "k6")
  const env = { GOOS: os, GOARCH: arch }
  mkdirSync(dirname(binary), { recursive: true })
  go(["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, "."], env)
  chmodSync(binary, 0o755)
  cpSync(join(home, "LICENSE"), join(place, "LICENSE"))
  write(join(place, "NOTICES"), noticesFor(env))
  for (const part of ["k6", "xk6-ts"]) {
    const sources = join(home, "..", part)
    for (const file of readdirSync(sources).filter(isSource))
      write(join(place, "source", part, file), readFileSync(join(sources, file)))
  }
  write(
    join(place, "README.md"),
    `k6 ${k6} with the extension xk6-ts, for ${platform}.

The folder \`source\` has the sources: run \`go build\` in \`source/k6\`. Go gets k6 itself, whose sources are at
https://github.com/grafana/k6/tree/v${k6}, and the other modules by the hashes in \`go.sum\`.
`
  )
  const name = `@webagent/k6-${id}`
  const description = `k6 for ${id}; install @webagent/k6 instead`
  const own = { os: [nodeName(os)], cpu: [nodeName(arch)], files: ["bin", "source", "NOTICES"], preferUnplugged: true }
  write(join(place, "package.json"), JSON.stringify({ name, description, ...common, ...own }, null, 2))
  return name
}

const index = `import { createRequire } from "node:module"

/** Returns the path of the k6 for this machine; undefined if it isn't installed. */
export const path = () => {
  const file = process.platform === "win32" ? "k6.exe" : "k6"
  try {
    return createRequire(import.meta.url).resolve(\`@webagent/k6-\${process.platform}-\${process.arch}/bin/\${file}\`)
  } catch {
    return undefined
  }
}
`

const bin = `#!/usr/bin/env node
import { spawn } from "node:child_process"
import { path } from "./index.mjs"

const program = path()
if (program === undefined) {
  process.stderr.write(
    \`@webagent/k6 has no k6 for \${process.platform} on \${process.arch} here. If it is one of its platforms, install it with optional dependencies.\\n\`
  )
  process.exit(4)
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" })
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => (signal === null ? process.exit(code) : process.kill(process.pid, signal)))
`

/** Makes the package that people install. */
const makeMain = (folder, names) => {
  const place = join(folder, "k6")
  write(join(place, "index.mjs"), index)
  write(join(place, "bin.mjs"), bin)
  cpSync(join(home, "LICENSE"), join(place, "LICENSE"))
  write(
    join(place, "README.md"),
    `k6 ${k6} that runs TypeScript, without Go: \`npm install --save-dev @webagent/k6\`. \`webagent-harness load\` finds it.

AGPL-3.0, as k6 is. The package of each platform has the sources.
`
  )
  const manifest = {
    name: "@webagent/k6",
    description: "k6 that runs TypeScript load tests",
    ...common,
    type: "module",
    bin: { k6: "./bin.mjs" },
    exports: "./index.mjs",
    files: ["*.mjs"],
    optionalDependencies: Object.fromEntries(names.map((name) => [name, version])),
    engines: { node: ">=20" }
  }
  write(join(place, "package.json"), JSON.stringify(manifest, null, 2))
}

const [folder, ...wanted] = process.argv.slice(2)
const unknown = wanted.find((platform) => !platforms.includes(platform))
if (folder === undefined || unknown !== undefined) {
  const problem = unknown === undefined ? "Name the folder for the packages" : `No platform ${unknown}`
  console.error(`${problem}: node tools/k6/packages.mjs FOLDER [${platforms.join(" ")}]`)
  process.exit(2)
}
makeMain(
  folder,
  (wanted.length === 0 ? platforms : wanted).map((platform) => makePlatform(folder, platform))
)
