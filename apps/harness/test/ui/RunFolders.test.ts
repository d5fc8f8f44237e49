import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as RunFolders from "../../src/ui/RunFolders.ts"

const home = mkdtempSync(join(tmpdir(), "webagent-ui-folders-"))
afterAll(() => rmSync(home, { recursive: true }))

const root = join(home, "runs")
const run = "2026-11-28T03-00-00"
mkdirSync(join(root, run, "traces"), { recursive: true })
mkdirSync(join(home, "secret"))
writeFileSync(join(home, "secret", "report.json"), "secret")
writeFileSync(join(root, run, "report.json"), "{}")
writeFileSync(join(root, run, ".hidden"), "")
symlinkSync(join(home, "secret"), join(root, "linked"))
symlinkSync(join(home, "secret", "report.json"), join(root, run, "linked.json"))
symlinkSync("/", join(root, run, "root"))

const withFolders = <A, E>(use: (folders: RunFolders.RunFolders) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.flatMap(RunFolders.make(root), use).pipe(Effect.provide(NodeServices.layer)))

const runsOutside = ["linked", "..", ".", "", "../secret", "/etc", "a\0b", `${run}/..`, "..\\secret", ".hidden"]

const filesOutside = ["linked.json", "../../secret/report.json", "..", "root", ".hidden", "traces/../report.json"]

describe("RunFolders", () => {
  it("finds a run and its files", async () => {
    const path = await withFolders((folders) => folders.fileOf(run, "report.json"))
    assert.isTrue(path.endsWith(`runs/${run}/report.json`))
    const files = await withFolders((folders) => folders.filesOf(run))
    assert.deepEqual(files, [{ name: "report.json", bytes: 2 }])
  })

  it.each(runsOutside)("has no run %j", async (name) => {
    const error = await withFolders((folders) => Effect.flip(folders.pathOf(name)))
    assert.strictEqual(error._tag, "MissingError")
  })

  it.each(filesOutside)("has no file %j", async (name) => {
    const error = await withFolders((folders) => Effect.flip(folders.fileOf(run, name)))
    assert.strictEqual(error._tag, "MissingError")
  })
})
