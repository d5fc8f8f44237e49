// node --test tools/k6/build.test.mjs   (a scripted Go stands in for the real one; xk6-ts tests with a real k6)
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"

const build = join(dirname(fileURLToPath(import.meta.url)), "build.mjs")

/** Runs build.mjs, or a script that uses it, with nothing on the PATH but a `go` that is this shell script, if any. */
function withGo(script, source) {
  const path = mkdtempSync(join(tmpdir(), "go-"))
  if (script !== undefined) {
    writeFileSync(join(path, "go"), `#!/bin/sh\n${script}\n`)
    chmodSync(join(path, "go"), 0o755)
  }
  const args = source === undefined ? [build] : ["--input-type=module", "-e", source]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: { PATH: path }, encoding: "utf8" })
  return { path, status, stdout, stderr }
}

const answer = (version) => `echo '{"GOVERSION":"${version}","GOOS":"linux","GOARCH":"amd64"}'`
const advice =
  /needs Go 1\.25\.0 or later to be built: get it from https:\/\/go\.dev\/dl, or from your package manager\.\n$/

test("prints one sentence and exits with 4 without Go", () => {
  const { status, stdout, stderr } = withGo()
  assert.equal(status, 4)
  assert.equal(stdout, "")
  assert.match(stderr, /^There is no Go on the PATH\. k6 /)
  assert.match(stderr, advice)
})

for (const [name, script] of [
  ["an older release", answer("go1.24.11")],
  ["a release before toolchains", answer("go1.9")],
  ["a Go that refuses go.mod", "echo 'go.mod requires go >= 1.25.0' >&2; exit 1"]
]) {
  test(`prints one sentence and exits with 4 if ${name} is too old`, () => {
    const { status, stderr } = withGo(script)
    assert.equal(status, 4)
    assert.match(stderr, /^The Go on the PATH is too old/)
    assert.match(stderr, advice)
    assert.equal(stderr.trim().split("\n").length, 1)
  })
}

// Writes down its arguments, and its own name as the binary.
const scripted = (version) => `
case "$1" in
  env) ${answer(version)} ;;
  build) echo "$@" >> "\${0%/*}/calls"; while [ "$1" != -o ]; do shift; done; echo binary > "$2" ;;
esac`

const buildTwice = `
import { mkdtempSync } from "node:fs"
import { buildK6 } from ${JSON.stringify(build)}
const options = { cache: mkdtempSync(${JSON.stringify(join(tmpdir(), "k6-"))}), log: (line) => console.error(line) }
console.log(await buildK6(options))
console.log(await buildK6(options))`

test("builds once, reports it, and then finds the binary", () => {
  const { path, status, stdout, stderr } = withGo(scripted("go1.25.0"), buildTwice)
  assert.equal(status, 0, stderr)
  const [first, second] = stdout.trim().split("\n")
  assert.equal(first, second)
  assert.equal(readFileSync(first, "utf8"), "binary\n")
  assert.deepEqual(readdirSync(dirname(first)), ["k6"])
  assert.match(
    stderr,
    /^building k6 2\.\d+\.\d+ once \(about two minutes\) \.\.\.\nbuilt k6 2\.\d+\.\d+ in \d+ s, cached\n$/
  )
  assert.match(
    readFileSync(join(path, "calls"), "utf8"),
    /^build -mod=readonly -trimpath -buildvcs=false -ldflags=-s -w -o \S+ \.\n$/
  )
})

test("builds another binary for another Go", () => {
  const hash = (version) => withGo(scripted(version), buildTwice).stdout.split("\n")[0].split("/").at(-2)
  assert.equal(hash("go1.26.8"), hash("go1.26.8"))
  assert.notEqual(hash("go1.26.8"), hash("go1.27.0"))
})

test("leaves nothing after a failed build, prints Go's output, and exits with 1", () => {
  const script = `case "$1" in env) ${answer("go1.26.0")} ;; build) while [ "$1" != -o ]; do shift; done; echo half > "$2"; echo "no space left" >&2; exit 1 ;; esac`
  const source = `
    import { mkdtempSync, readdirSync } from "node:fs"
    import { buildK6 } from ${JSON.stringify(build)}
    const cache = mkdtempSync(${JSON.stringify(join(tmpdir(), "k6-"))})
    await buildK6({ cache }).catch((error) => console.log(error.exitCode, error.message))
    console.log(readdirSync(cache + "/" + readdirSync(cache)[0]).length)`
  assert.match(withGo(script, source).stdout, /^1 k6 2\.\S+ did not build; Go said: no space left\n0\n$/)
})

test("names the proxy in one sentence if modules aren't available, and exits with 1", () => {
  const script = `case "$1" in env) echo '{"GOVERSION":"go1.26.0","GOOS":"linux","GOARCH":"amd64","GOPROXY":"http://127.0.0.1:9"}' ;; list) echo "go: downloading x" >&2; echo "main.go:8:2: dial tcp 127.0.0.1:9: connection refused" >&2; exit 1 ;; esac`
  const source = `
    import { mkdtempSync } from "node:fs"
    import { buildK6 } from ${JSON.stringify(build)}
    await buildK6({ cache: mkdtempSync(${JSON.stringify(join(tmpdir(), "k6-"))}) }).catch((error) => console.log(error.exitCode, error.message))`
  assert.match(
    withGo(script, source).stdout,
    /^1 The Go modules of k6 2\.\S+ cannot be had from http:\/\/127\.0\.0\.1:9 \(.+connection refused\); check the network and GOPROXY\.\n$/
  )
})
