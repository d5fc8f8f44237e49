import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { installLines } from "../src/InstallLines.ts"
import { type Manifest, publishedFolders, root } from "../src/Package.ts"

const manifests = publishedFolders().map((folder): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
)
/** The files of each command, by the line before it. */
const commands = new Map(
  installLines(manifests, "/packed")
    .split("\n\n")
    .map((command) => {
      const [title = "", line = ""] = command.split("\n  ")
      const files: Array<string> = line.match(/\/packed\/\S+/gu) ?? []
      return [title, { isDev: line.includes("--save-dev"), files }] as const
    })
)

describe("the install lines", () => {
  const client = commands.get("A v4 client")

  it("install the client as a dependency, with the packages that it needs", () => {
    assert.isFalse(client?.isDev)
    assert.includeMembers(client?.files ?? [], ["/packed/webagent-v4.tgz", "/packed/webagent-core.tgz"])
  })

  it.each([
    "The simulated service, for the tests of an app with that client",
    "The harness, in an app with that client"
  ])("keep the app's client in its dependencies: %s", (title) => {
    const { files = [], isDev } = commands.get(title) ?? {}
    assert.isTrue(isDev)
    assert.isNotEmpty(files)
    assert.deepStrictEqual(
      files.filter((file) => client?.files.includes(file)),
      []
    )
  })

  it("install everything that the harness needs in its own project", () => {
    const { files = [] } = commands.get("The harness, in a project of its own") ?? {}
    assert.includeMembers(files, ["/packed/webagent-harness-program.tgz", "/packed/webagent-v4.tgz"])
  })
})
