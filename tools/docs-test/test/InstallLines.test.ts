import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { appModule, documents, root } from "../src/Documents.ts"

interface Manifest {
  readonly name: string
  readonly private?: boolean
}

const { installLines }: { readonly installLines: (packages: ReadonlyArray<Manifest>, folder: string) => string } =
  await appModule("tools/packaging/src/InstallLines.ts")

const manifests = globSync("{packages,packages/*,apps}/*/package.json", { cwd: root })
  .map((path): Manifest => JSON.parse(readFileSync(join(root, path), "utf8")))
  .filter((manifest) => manifest.private !== true)

/** The packages that each printed command installs. */
const printed = installLines(manifests, "/packed")
  .split("\n")
  .filter((line) => line.includes("npm install"))
  .map((line) => Array.from(line.matchAll(/\/webagent-([\w-]+)\.tgz/gu), ([, name]) => name).toSorted())

/** The packages of each documented command that names them. */
const documented = documents().flatMap((file) =>
  Array.from(
    readFileSync(join(root, file), "utf8").matchAll(/^npm install .*\/webagent-\{([\w,-]+)\}\.tgz$/gmu),
    ([, names = ""]) => ({ file, names: names.split(",").toSorted() })
  )
)

describe("npm install in a guide", () => {
  it("is shown", () => assert.isNotEmpty(documented))

  for (const { file, names } of documented) {
    it(`installs what npm run pack:into prints: ${file}, ${names[0]} and others`, () =>
      assert.deepInclude(printed, names))
  }
})
