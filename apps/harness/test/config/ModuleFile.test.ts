import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as ModuleFile from "../../src/config/ModuleFile.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-modules-"))
afterAll(() => rmSync(folder, { recursive: true }))

it.effect("a file whose import never settles is reported in one line without waiting for it", () =>
  Effect.gen(function* () {
    const path = join(folder, "waits.suite.ts")
    writeFileSync(path, "await new Promise(() => {})\nexport default 1\n")
    const loading = yield* Effect.forkChild(Effect.flip(ModuleFile.load("waits.suite.ts", path)))
    yield* TestClock.adjust("30 seconds")
    const { exitCode, message } = yield* Fiber.join(loading)
    assert.deepStrictEqual(
      [exitCode, message],
      [2, "waits.suite.ts did not load within 30s. Check its top-level await."]
    )
  })
)
