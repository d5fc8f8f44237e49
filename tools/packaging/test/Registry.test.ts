import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, inject, it } from "vitest"
import { installInto } from "../src/Project.ts"

describe("Registry", () => {
  it("names a package that the workspace doesn't have, in one sentence", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-absent-"))
    const why = await installInto(folder, { dependencies: { "no-such-package": "1.0.0" } }, inject("npm")).then(
      () => "it was installed",
      ({ message }: Error) => message
    )
    rmSync(folder, { recursive: true })
    assert.match(
      why,
      /^npm could not install no-such-package: Not Found - GET http:\/\/127\.0\.0\.1:\d+\/no-such-package$/u
    )
  })
})
