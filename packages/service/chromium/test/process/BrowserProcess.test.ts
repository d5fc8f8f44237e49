import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Option from "effect/Option"
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { getPriority } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Binary, BrowserProcess, DevTools, Sandbox } from "../../src/index.ts"
import { niceness } from "../../src/sandbox/Priority.ts"
import { chromiumSandbox as chromiumSandboxWorks, processesIn, runtime, start } from "../support/chromium.ts"

const isRoot = process.getuid?.() === 0

it.live("runs a browser in its own folder, at low priority and not as root, and removes both at the end", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const scope = yield* Scope.make()
    const { devTools, pid } = yield* Scope.provide(start("one", folder), scope)
    assert.match(devTools.address, /^ws:\/\/127\.0\.0\.1:\d+\/devtools\/browser\//u)
    assert.strictEqual(statSync(`/proc/${pid}`).uid, isRoot ? 65_534 : process.getuid?.())
    assert.isAtLeast(getPriority(pid), niceness)
    assert.deepStrictEqual(readdirSync(folder).toSorted(), ["one", "one.pid"])
    assert.isNotEmpty(processesIn(folder))
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(readdirSync(folder), [])
    assert.deepStrictEqual(processesIn(folder), [])
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

// the package chromium of a system; without it there is the headless shell of npm, which makes no such socket
const full = await Effect.runPromise(Effect.option(Binary.find({ engine: "chromium" })))
const named = Option.filter(full, ({ source }) => source === "installed")
const without = Option.isNone(named) ? " (skipped without Chromium: install the package chromium)" : ""

it.live.skipIf(without !== "")(`starts full Chromium in a folder with a long path${without}`, () =>
  Effect.gen(function* () {
    const folder = join(yield* runtime, "x".repeat(40))
    mkdirSync(folder)
    chmodSync(folder, 0o711)
    const chromiumSandbox = yield* chromiumSandboxWorks
    const binary = Option.getOrThrow(named)
    const { devTools } = yield* BrowserProcess.start({ binary, runtime: folder, name: "one", chromiumSandbox })
    const { product } = yield* (yield* DevTools.connect(devTools)).send("Browser.getVersion")
    assert.match(String(product), /Chrome\//u)
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("reports how a killed browser ended, and leaves none of its processes", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const { exited, pid } = yield* start("one", folder)
    process.kill(pid, "SIGKILL")
    assert.strictEqual((yield* exited).signal, "SIGKILL")
    yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => processesIn(folder).length > 0 })
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("reports the output of a browser that doesn't start", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const binary = { executable: "/bin/false", env: {}, version: "", source: "named" } as const
    const { message } = yield* Effect.flip(BrowserProcess.start({ binary, runtime: folder, name: "one" }))
    assert.strictEqual(message, "Chromium ended while it started: exit 1.")
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("does not wait for a browser that never listens, and kills it", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const binary = { executable: "/usr/bin/tail", env: {}, version: "", source: "named" } as const
    const sandbox = Sandbox.of({
      kind: "none",
      countries: [],
      enter: (command) =>
        Effect.succeed({
          ...command,
          args: ["-f", "/dev/null", `${folder}/missing`],
          serve: null,
          bytes: Effect.succeed(null),
          allow: () => Effect.void
        })
    })
    const { message } = yield* Effect.flip(
      Effect.scoped(BrowserProcess.start({ binary, runtime: folder, name: "one", within: "50 millis" }))
    ).pipe(Effect.provideService(Sandbox, sandbox))
    assert.strictEqual(message, "Chromium did not start within 50ms.")
    assert.deepStrictEqual(processesIn(folder), [])
  }).pipe(Effect.scoped)
)

it.live("ends with the server, even if that is killed", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const program = fileURLToPath(new URL("../support/server.ts", import.meta.url))
    const server = spawn(process.execPath, ["--conditions=@webagent/source", program, folder], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    yield* Effect.promise(() => once(server.stdout, "data"))
    assert.isNotEmpty(processesIn(folder))
    server.kill("SIGKILL")
    yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => processesIn(`${folder}/one`).length > 0 })
  }).pipe(Effect.scoped)
)
