import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { publishedFolders } from "../src/Package.ts"
import { pendingChangesets, stated, versionOf, write } from "../src/Versions.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Copies the files with versions to a new folder, whose packages have another version. */
const copyWith = (version: string): string => {
  const copy = mkdtempSync(join(tmpdir(), "webagent-versions-"))
  for (const [folder, file] of stated) {
    for (const path of [folder, dirname(file)]) mkdirSync(join(copy, path), { recursive: true })
    cpSync(join(root, file), join(copy, file))
    writeFileSync(join(copy, folder, "package.json"), JSON.stringify({ version }))
  }
  return copy
}

describe("Versions", () => {
  it("in files equal those of their packages; before the first release, the chart has the first version", () => {
    for (const [folder, file, pattern] of stated) {
      const version = versionOf(root, folder)
      const expected = file.startsWith("deploy/") && version === "0.0.0" ? "0.1.0" : version
      const found = readFileSync(join(root, file), "utf8").match(pattern) ?? []
      assert.deepStrictEqual([...new Set(found)], [expected], file)
    }
  })

  it("are updated once in files for new versions", () => {
    const copy = copyWith("7.8.9-next.1")
    assert.deepStrictEqual(
      write(copy),
      stated.map(([, file]) => file)
    )
    const read = (file: string) => readFileSync(join(copy, file), "utf8")
    for (const [, file] of stated.slice(0, 3)) assert.include(read(file), 'export const version = "7.8.9-next.1"')
    assert.match(
      read("deploy/helm/webagent-server/Chart.yaml"),
      /^version: 7\.8\.9-next\.1\nappVersion: 7\.8\.9-next\.1$/mu
    )
    assert.match(read("deploy/kubernetes/chromium.yaml"), /image: webagent-server:7\.8\.9-next\.1-chromium$/mu)
    assert.deepStrictEqual(write(copy), [])
    rmSync(copy, { recursive: true })
  })

  it("are required in each file", () => {
    const copy = copyWith("1.0.0")
    const [, file] = stated[0] ?? ["", ""]
    writeFileSync(join(copy, file), "export const name = 1")
    assert.throws(() => write(copy), `${file} does not have a version`)
    rmSync(copy, { recursive: true })
  })
})

describe("pendingChangesets", () => {
  it("are for published packages only, because others are never applied", () => {
    const names = publishedFolders().map(
      (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).name
    )
    for (const file of pendingChangesets(root)) {
      const changed = Array.from(readFileSync(join(root, file), "utf8").matchAll(/^"(.+)": /gmu), ([, name]) => name)
      assert.isNotEmpty(changed, file)
      assert.includeMembers(names, changed, file)
    }
  })
})
