// node --test tools/k6/packages.test.mjs   (a scripted Go stands in for the real one)
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"

const script = fileURLToPath(new URL("packages.mjs", import.meta.url))
const place = mkdtempSync(join(tmpdir(), "k6-packages-"))
after(() => rmSync(place, { recursive: true }))

mkdirSync(join(place, "module"))
writeFileSync(join(place, "module", "LICENSE"), "Apache License")
// its binary prints its arguments; its modules are one
writeFileSync(
  join(place, "go"),
  `#!/bin/sh
case "$1" in
  list) printf 'example.com/module v1.0.0\\t%s\\n' '${join(place, "module")}' ;;
  build) while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\\necho "k6 $GOOS $*"; exit 7\\n' >"$2" ;;
esac
`
)
chmodSync(join(place, "go"), 0o755)

const env = { ...process.env, PATH: `${place}${delimiter}${process.env.PATH}` }
const make = (...args) => spawnSync(process.execPath, [script, ...args], { encoding: "utf8", env })

const platform = `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`
const id = `${process.platform}-${process.arch}`
const manifestOf = (name) => JSON.parse(readFileSync(join(place, "out", name, "package.json"), "utf8"))

test("makes a package for each platform, with its sources and licenses", () => {
  const { status, stderr } = make(join(place, "out"), platform, "windows/amd64")
  assert.equal(status, 0, stderr)
  const { license, optionalDependencies, version } = manifestOf("k6")
  assert.deepEqual(optionalDependencies, { [`@webagent/k6-${id}`]: version, "@webagent/k6-win32-x64": version })
  assert.equal(license, "AGPL-3.0-only")
  const windows = manifestOf("k6-win32-x64")
  assert.deepEqual([windows.os, windows.cpu, windows.license], [["win32"], ["x64"], "AGPL-3.0-only"])
  const read = (file) => readFileSync(join(place, "out", "k6-win32-x64", file), "utf8")
  assert.match(read("NOTICES"), /^example\.com\/module v1\.0\.0\n\nApache License/)
  assert.match(read("LICENSE"), /AFFERO/i)
  assert.match(read("source/k6/go.mod"), /go\.k6\.io\/k6/)
  assert.match(read("source/xk6-ts/extension.go"), /^package /m)
  assert.match(read("bin/k6.exe"), /echo/)
})

test("runs this machine's binary in the installed package, and returns its exit code", async () => {
  const modules = join(place, "app", "node_modules", "@webagent")
  for (const name of ["k6", `k6-${id}`]) cpSync(join(place, "out", name), join(modules, name), { recursive: true })
  const { path } = await import(pathToFileURL(join(modules, "k6", "index.mjs")).href)
  assert.equal(path(), join(modules, `k6-${id}`, "bin", "k6"))
  const run = () => spawnSync(process.execPath, [join(modules, "k6", "bin.mjs"), "run", "a.ts"], { encoding: "utf8" })
  const { status, stdout } = run()
  assert.deepEqual([status, stdout.includes(" run a.ts")], [7, true])
  rmSync(join(modules, `k6-${id}`), { recursive: true })
  const without = run()
  assert.equal(without.status, 4)
  assert.match(without.stderr, /^@webagent\/k6 has no k6 for \S+ on \S+ here\. .+optional dependencies\.\n$/)
})

test("publishes the packages of platforms first, and skips published ones", () => {
  // the registry has the package for Windows already
  writeFileSync(
    join(place, "npm"),
    `#!/bin/sh\n[ "$1" = publish ] && echo "$*" >&2\ncase "$2" in @webagent/k6-win32-x64@*) echo found ;; esac\n`
  )
  chmodSync(join(place, "npm"), 0o755)
  const publish = fileURLToPath(new URL("publish.sh", import.meta.url))
  const { stderr } = spawnSync("sh", [publish, join(place, "out")], { encoding: "utf8", env })
  assert.equal(stderr, [`k6-${id}`, "k6"].map((name) => `publish --provenance --access public ./${name}\n`).join(""))
})

test("refuses an unknown platform", () => {
  const { status, stderr } = make(join(place, "other"), "plan9/amd64")
  assert.equal(status, 2)
  assert.match(stderr, /^No platform plan9\/amd64: node tools\/k6\/packages\.mjs FOLDER \[linux\/amd64 /)
})
