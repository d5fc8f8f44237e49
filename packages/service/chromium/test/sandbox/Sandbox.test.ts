import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Sandbox } from "../../src/index.ts"
import { runtime } from "../support/chromium.ts"
import { layer } from "../support/sandboxed.ts"

it.live("namespaces contain only the parts of Chromium from a program's folder", () =>
  Effect.gen(function* () {
    const home = yield* runtime
    for (const name of ["chromium", "icudtl.dat", "resources.pak", "libEGL.so", "notes.txt", "keys.json", ".netrc"]) {
      writeFileSync(join(home, name), "")
    }
    for (const name of ["locales", ".ssh", "Documents"]) mkdirSync(join(home, name))
    const folder = join(home, "browser")
    mkdirSync(folder)
    const sandbox = yield* Sandbox
    const around = { args: [], env: {}, folder, proxyCountryCode: null, tasks: 1 }
    const { args } = yield* sandbox.enter({ executable: join(home, "chromium"), ...around })
    const bound = args.filter((_, at) => /^--(?:ro-)?bind/u.test(args[at - 1] ?? "") && args[at]?.startsWith(home))
    const names = ["chromium", "icudtl.dat", "libEGL.so", "locales", "resources.pak"]
    assert.deepStrictEqual(bound.toSorted(), [folder, ...names.map((name) => join(home, name))].toSorted())
  }).pipe(Effect.scoped, Effect.provide(layer()))
)

it.effect("a browser runs directly without a sandbox", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox
    const command = { executable: "/opt/chromium", args: ["--headless"], env: { LANG: "C" } }
    const around = { folder: "browser-1", proxyCountryCode: null, tasks: 1 }
    const { args, bytes, env, executable, serve } = yield* sandbox.enter({ ...command, ...around })
    assert.deepStrictEqual({ args, env, executable }, command)
    assert.isNull(serve)
    assert.deepStrictEqual([sandbox.kind, yield* bytes], ["none", null])
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)
