import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Binary, BrowserProcess, Isolation } from "../../src/index.ts"
import { chromiumSandbox, processesIn, runtime } from "../support/chromium.ts"
import { layerEgress, noNamespaces } from "../support/sandboxed.ts"

it.live("finds this machine's highest level, and starts browsers with it", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const binary = yield* Binary.find()
    const { level, sandbox, sentence, ...how } = yield* Isolation.probe({ binary, runtime: folder, atLeast: "none" })
    const own = yield* chromiumSandbox
    assert.strictEqual(level, noNamespaces === undefined ? "namespaces" : own ? "chromium" : "none")
    assert.match(sentence, /\.$/u)
    assert.deepStrictEqual([readdirSync(folder), processesIn(folder)], [[], []])
    yield* Effect.provide(BrowserProcess.start({ binary, runtime: folder, name: "one", ...how }), sandbox)
  }).pipe(Effect.scoped, Effect.provide(layerEgress()))
)

it.live("explains a lower level", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const binary = yield* Binary.find()
    // a script needs a shell, which is not in the namespaces of a browser
    const executable = join(folder, "bin", "chromium")
    mkdirSync(join(folder, "bin"))
    writeFileSync(executable, `#!/bin/sh\nexec ${binary.executable} "$@"\n`)
    chmodSync(executable, 0o755)
    const options = { binary: { ...binary, executable }, runtime: folder, atLeast: "none" } as const
    const { level, sentence } = yield* Isolation.probe(options)
    assert.strictEqual(level, (yield* chromiumSandbox) ? "chromium" : "none")
    assert.match(sentence, /Run the server in a container that holds nothing else\. No \w+: .+\.$/u)
  }).pipe(Effect.scoped, Effect.provide(layerEgress()))
)

// a user namespace in which no other can be made, and a user in it who is not root
const forbidden = `echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all "$@"`
const unshare = ["-U", "--map-user=1000", "--map-group=1000", "--keep-caps", "/bin/sh", "-c", forbidden, "sh"]
const canForbid = spawnSync("unshare", [...unshare, "true"]).status === 0
const skipped = canForbid ? "" : " (skipped without user namespaces to forbid, or without unshare and setpriv)"

it.live.skipIf(!canForbid)(`reports that a machine forbids namespaces, and what to do${skipped}`, () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const program = fileURLToPath(new URL("../support/probe.ts", import.meta.url))
    const command = [process.execPath, "--conditions=@webagent/source", program, folder]
    const { stdout } = yield* Effect.promise(() => promisify(execFile)("unshare", [...unshare, ...command]))
    const { level, message, sentence } = JSON.parse(stdout) as Readonly<Record<string, string>>
    assert.strictEqual(level, "none")
    assert.match(sentence ?? "", /^Pages run without Chromium's sandbox: .+ No sandbox: .+\.$/u)
    assert.match(
      message ?? "",
      /^No browser starts with the isolation level namespaces: .+ (?:Let users make namespaces|Install the package bubblewrap).* or accept less with --min-isolation chromium or --min-isolation none\.$/u
    )
  }).pipe(Effect.scoped)
)

it.live("refuses to go below the requested level, with advice", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const binary = { executable: "/bin/false", env: {}, version: "", source: "named" } as const
    for (const atLeast of ["namespaces", "chromium", "none"] as const) {
      const { message } = yield* Effect.flip(Isolation.probe({ binary, runtime: folder, atLeast }))
      assert.include(message, `No browser starts with the isolation level ${atLeast}: `)
      if (atLeast !== "none")
        assert.match(message, /, or accept less with (?:--min-isolation chromium or )?--min-isolation none\.$/u)
    }
  }).pipe(Effect.scoped, Effect.provide(layerEgress()))
)
