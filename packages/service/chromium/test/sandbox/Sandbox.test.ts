import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Sandbox } from "../../src/index.ts"

it.effect("without a sandbox a browser is run as it is", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const command = { executable: "/opt/chromium", args: ["--headless"], env: { LANG: "C" } }
    const around = { folder: "/tmp/browser", allowedDomains: null, proxyCountryCode: null }
    const entered = yield* sandbox.enter({ ...command, ...around })
    expect(sandbox.kind).toBe("none")
    expect(entered).toMatchObject({ ...command, devTools: { _tag: "Loopback" } })
    expect(yield* entered.bytes).toBe(null)
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)
