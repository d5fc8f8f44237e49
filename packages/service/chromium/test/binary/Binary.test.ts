import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Binary } from "../../src/index.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "webagent-test-binary-"))
    // root's browsers run as another user
    chmodSync(path, 0o711)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

it.live("finds a Chromium that runs, and the executable itself", () =>
  Effect.gen(function* () {
    const { executable, version } = yield* Binary.find()
    assert.match(version, /\d+\.\d+/u)
    assert.isTrue(statSync(executable).size > 50_000_000, executable)
  })
)

it.live("refuses a packaged browser that other users can change", () =>
  Effect.gen(function* () {
    const cache = yield* folder
    const home = join(cache, "chromium-153.0.0")
    mkdirSync(home)
    chmodSync(home, 0o777)
    const { message } = yield* Effect.flip(Binary.packaged([cache]))
    assert.include(message, "can be written by other users")
  }).pipe(Effect.scoped)
)

it.live("unpacks the packaged browser into the next folder when one can't be written", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "file")
    writeFileSync(file, "")
    const binary = yield* Binary.packaged([join(file, "first"), join(path, "second")])
    assert.match(binary?.executable ?? "no browser", /\/second\/chromium-[\d.]+\/chromium$/u)
    const { message } = yield* Effect.flip(Binary.packaged([join(file, "first"), join(file, "second")]))
    assert.match(
      message,
      /^Cannot unpack Chromium into \S+\/first \(ENOTDIR: .+\) or \S+\/second \(ENOTDIR: .+\)\. Make one of them writable, or set TMPDIR /u
    )
  }).pipe(Effect.scoped)
)

it.live("refuses a wrapper script around Chromium, because killing it would leave the browser running", () =>
  Effect.gen(function* () {
    const script = join(yield* folder, "chromium")
    writeFileSync(script, '#!/bin/sh\n/usr/lib/chromium/chromium "$@"\n', { mode: 0o755 })
    const { message } = yield* Effect.flip(Binary.find({ executable: script }))
    assert.strictEqual(
      message,
      `${script} is a script around Chromium. Name the program itself, such as /usr/lib/chromium/chromium.`
    )
  }).pipe(Effect.scoped)
)

it.live("reports that a named program does not exist", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(Binary.find({ executable: "/nowhere/chromium" }))
    assert.strictEqual(message, "/nowhere/chromium does not exist. Check WEBAGENT_CHROMIUM.")
  })
)
