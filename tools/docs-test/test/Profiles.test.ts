import { SettingsFile } from "@webagent/control"
import { Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../src/Documents.ts"
import { fieldPaths, presetRows } from "../src/Presets.ts"

const page = readFileSync(join(root, "docs/simulated-service-reference.md"), "utf8")
const files = globSync("apps/examples/profiles/*.json", { cwd: root })

describe("docs/simulated-service-reference.md", () => {
  for (const row of presetRows()) {
    it(`shows the preset ${row.slice(2, 14).trim()} unchanged`, () => assert.include(page.split("\n"), row))
  }

  it("has a row for every field of a profile file, and no other row", () => {
    const [, fields = ""] = page.split("| field | what it is |")
    const [table = ""] = fields.split("\n\n")
    const rows = table.split("\n").flatMap((line) => /^\| (`[^|]*) \|/u.exec(line)?.[1] ?? [])
    const documented = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/gu)].flatMap((match) => match[1] ?? []))
    assert.deepStrictEqual(documented.toSorted(), fieldPaths(SettingsFile.ProfileFile).toSorted())
  })
})

describe("profiles of the examples", () => {
  it("exist", () => assert.isNotEmpty(files))

  for (const file of files) {
    it(`${file} is valid`, () => {
      const profile = SettingsFile.profileFromJson(readFileSync(join(root, file), "utf8"))
      assert.deepStrictEqual(Result.isFailure(profile) ? profile.failure.lines : [], [])
    })
  }
})

describe("apps/examples/profiles/one-bad-poll.json", () => {
  it("returns 503 for the third status poll of a run, and for no other", async () => {
    const text = readFileSync(join(root, "apps/examples/profiles/one-bad-poll.json"), "utf8")
    const profile = Result.getOrThrow(SettingsFile.profileFromJson(text))
    const program = Effect.gen(function* () {
      const { apiKeys, baseUrls } = yield* Server
      const ask = (path: string, init: RequestInit = {}) =>
        Effect.promise(() =>
          fetch(`${baseUrls.v4}${path}`, {
            ...init,
            headers: { "content-type": "application/json", "x-service-api-key": apiKeys[0] ?? "" }
          })
        )
      const created = yield* ask("/runs", { method: "POST", body: '{"task":"Find a mug"}' })
      const { id } = yield* Effect.promise(() => created.json() as Promise<{ readonly id: string }>)
      return yield* Effect.forEach([1, 2, 3, 4], () => Effect.map(ask(`/runs/${id}/status`), ({ status }) => status))
    }).pipe(Effect.provide(SimulatedService.layer({ profile })))
    assert.deepStrictEqual(await Effect.runPromise(program), [200, 200, 503, 200])
  })
})
