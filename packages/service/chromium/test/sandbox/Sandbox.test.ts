import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Sandbox } from "../../src/index.ts"

it.effect("without a sandbox a browser is run as it is", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const command = { executable: "/opt/chromium", args: ["--headless"], env: { LANG: "C" } }
    const around = { folder: "/tmp/browser", proxyCountryCode: null, tasks: 1 }
    const { args, bytes, devTools, env, executable } = yield* sandbox.enter({ ...command, ...around })
    assert.deepStrictEqual({ args, env, executable }, command)
    assert.deepStrictEqual(devTools, { _tag: "Loopback" })
    assert.deepStrictEqual([sandbox.kind, yield* bytes], ["none", null])
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)
