import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { apiReports, folder } from "../src/ApiReport.ts"
import { root } from "../src/Package.ts"

describe("docs/api", () => {
  it("has every package's public surface", () => {
    const written = new Map(
      globSync("*.txt", { cwd: join(root, folder) }).map((file) => [
        file,
        readFileSync(join(root, folder, file), "utf8")
      ])
    )
    const reports = apiReports()
    const changed = [...new Set([...written.keys(), ...reports.keys()])].filter(
      (file) => written.get(file) !== reports.get(file)
    )
    assert.isEmpty(changed, `The public surface changed. Run npm run api, and review: git diff ${folder}`)
  })
})
