import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { stated, versionOf, write } from "../src/Versions.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

describe("Versions", () => {
  it("of modules equal those of their packages", () => {
    for (const [folder, module] of stated) {
      assert.include(
        readFileSync(join(root, folder, module), "utf8"),
        `export const version = "${versionOf(root, folder)}"`
      )
    }
  })

  it("are updated once in modules for new versions", () => {
    const copy = mkdtempSync(join(tmpdir(), "webagent-versions-"))
    for (const [folder, module] of stated) {
      mkdirSync(dirname(join(copy, folder, module)), { recursive: true })
      cpSync(join(root, folder, module), join(copy, folder, module))
      writeFileSync(join(copy, folder, "package.json"), JSON.stringify({ version: "7.8.9-next.1" }))
    }
    assert.deepStrictEqual(
      write(copy),
      stated.map(([folder, module]) => `${folder}/${module}`)
    )
    for (const [folder, module] of stated)
      assert.include(readFileSync(join(copy, folder, module), "utf8"), 'export const version = "7.8.9-next.1"')
    assert.deepStrictEqual(write(copy), [])
    rmSync(copy, { recursive: true })
  })

  it("are required in each module", () => {
    const copy = mkdtempSync(join(tmpdir(), "webagent-versions-"))
    const [folder, module] = stated[0] ?? ["", ""]
    mkdirSync(dirname(join(copy, folder, module)), { recursive: true })
    writeFileSync(join(copy, folder, module), "export const name = 1")
    assert.throws(() => write(copy), `${folder}/${module} does not say a version`)
    rmSync(copy, { recursive: true })
  })
})
