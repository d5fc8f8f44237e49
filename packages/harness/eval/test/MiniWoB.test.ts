import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as MiniWoB from "../src/MiniWoB.ts"

/** A package of two pages. */
const installed = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "miniwob-"))
    const root = join(folder, "miniwob", "html")
    for (const name of ["core", "miniwob"]) mkdirSync(join(root, name), { recursive: true })
    writeFileSync(join(root, "core", "core.js"), "var core")
    writeFileSync(join(folder, "secret.html"), "secret")
    for (const kind of ["click-test", "enter-text"]) {
      writeFileSync(join(root, "miniwob", `${kind}.html`), "<html><body>page</body></html>")
    }
    return { folder, root }
  }),
  ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const asked = (method: string, path: string, body = "") => ({
  method,
  path,
  body,
  query: new URLSearchParams(),
  form: new URLSearchParams(),
  cookies: new Map<string, string>()
})

describe("MiniWoB", () => {
  it.live("finds the pages from any folder of the package, and reports if there are none", () =>
    Effect.gen(function* () {
      const { folder, root } = yield* installed
      for (const named of [folder, join(folder, "miniwob"), root, join(root, "miniwob")]) {
        assert.strictEqual(yield* MiniWoB.find(named), root)
      }
      assert.deepStrictEqual(MiniWoB.kindsOf(root), ["click-test", "enter-text"])
      assert.strictEqual((yield* Effect.flip(MiniWoB.find("/nowhere"))).folder, "/nowhere")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("counts only the first reward, and serves no file outside of the package", () =>
    Effect.gen(function* () {
      const { root } = yield* installed
      const episode = MiniWoB.begin(root, "click-test", 42)
      const page = episode.respond(asked("GET", "/miniwob/click-test.html"))
      assert.match(JSON.stringify(page), /Math\.seedrandom\(42\)/u)
      assert.isUndefined(episode.respond(asked("GET", "/../../secret.html")))
      assert.isUndefined(episode.respond(asked("GET", "/miniwob")))
      assert.deepStrictEqual(episode.actual(), { solved: false, reward: null })
      episode.respond(asked("POST", "/reward", "-1"))
      episode.respond(asked("POST", "/reward", "1"))
      assert.deepStrictEqual(episode.actual(), { solved: false, reward: -1 })
      const other = MiniWoB.begin(root, "click-test", 42)
      other.respond(asked("POST", "/reward", "0.93"))
      assert.deepStrictEqual(other.actual(), other.expected)
    })
  )
})
