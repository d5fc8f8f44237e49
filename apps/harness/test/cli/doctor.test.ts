import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import * as Server from "../../src/cli/doctor/server.ts"
import type { Check } from "../../src/cli/doctor/DoctorOutput.ts"
import { run } from "./program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-doctor-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A project with these files. */
const project = (name: string, files: Readonly<Record<string, string>>): string => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, path, ".."), { recursive: true })
    writeFileSync(join(folder, name, path), text, { mode: 0o755 })
  }
  return join(folder, name)
}

const server = { "node_modules/webagent-server/package.json": "{}" }
const advice = (remedy: string) =>
  `webagent-server keeps browsers apart with it. ${remedy}, or accept less: --min-isolation chromium`

describe("doctor with the real browsers of webagent-server", () => {
  it("looks in the project's folder, and explains missing isolation", async () => {
    const refused = "bwrap: setting up uid map: Permission denied"
    const here = project("shop", { ...server, "programs/bwrap": `#!/bin/sh\necho "${refused}" >&2\nexit 1\n` })
    const { stdout } = await run(["doctor", "--json"], { PATH: join(here, "programs"), HOME: here }, here)
    const checks: ReadonlyArray<Check> = JSON.parse(stdout).checks
    const told = checks.filter(({ name }) => name === "bubblewrap" || name === "Chromium")
    assert.deepStrictEqual(told, [
      {
        name: "Chromium",
        status: "missing",
        found: "not found",
        advice: "webagent-server needs it for real browsers. Install it, or set WEBAGENT_CHROMIUM to its path."
      },
      { name: "bubblewrap", status: "missing", found: refused, advice: advice("Let users make namespaces") }
    ])
  })

  it("uses the Chromium that comes with the server", () => {
    const here = project("packaged", { ...server, "node_modules/@sparticuz/chromium/index.js": "" })
    const { found } = Server.chromium(Server.find(here) ?? "")
    const isPackaged = process.platform === "linux" && process.arch === "x64"
    assert.strictEqual(found, isPackaged ? "the one of @sparticuz/chromium, for webagent-server" : "not found")
  })

  it("finds this repository's server", async () => {
    const root = join(import.meta.dirname, "../../../..")
    const { stdout } = await run(["doctor", "--json"], { PATH: folder, HOME: folder }, root)
    const checks: ReadonlyArray<Check> = JSON.parse(stdout).checks
    assert.include(
      checks.map(({ name }) => name),
      "bubblewrap"
    )
  })

  it("distinguishes working namespaces from a machine without bubblewrap", () => {
    assert.deepInclude(Server.bubblewrap("works\n"), { status: "ok", advice: null })
    assert.deepInclude(Server.bubblewrap(""), {
      status: "missing",
      found: "not found",
      advice: advice("Install it (Linux)")
    })
  })
})
