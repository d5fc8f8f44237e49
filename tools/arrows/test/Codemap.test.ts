import { assert, describe, it } from "vitest"
import { untrue } from "../src/Codemap.ts"

const page = `# Architecture

## The picture

\`\`\`
  packages/contract    what crosses the wire
  core   reports       apps/server
\`\`\`

## Codemap

| folder | what it holds |
| --- | --- |
| \`packages/contract\` \`packages/client/core\` | \`absent\` is no place |
| \`packages/harness/report\` | reports |
| \`packages/testing/scripted\` | only tests use it |
| \`apps/server\` | the program |

Inside \`packages/contract/src\`:

| place | what it holds |
| --- | --- |
| \`v4/\` | version 4 |
| \`Wire.ts\` \`.\` | constants |

## Glossary

| word | meaning |
| --- | --- |
| \`Transport\` | sends requests |
`

const rules = {
  "packages/contract": { imports: [], folders: { ".": [], v4: ["."], "v4/deep": [] } },
  "packages/client/core": { imports: [], folders: { ".": [], promise: [] } },
  "packages/harness/report": { imports: [] },
  "packages/testing/scripted": { imports: [] },
  "apps/server": { imports: [] }
}

const tree = new Set([...Object.keys(rules), ...["", "/Wire.ts", "/v4"].map((path) => `packages/contract/src${path}`)])
const found = (text: string, table: Parameters<typeof untrue>[1] = rules) =>
  untrue(text, table, (path) => tree.has(path))

describe("the picture and codemap of ARCHITECTURE.md", () => {
  it("are correct if every place exists, and every package and described folder is shown", () => {
    assert.deepStrictEqual(found(page), [])
  })

  it("are wrong if the picture lacks a package, or shows a missing one", () => {
    assert.deepStrictEqual(found(page.replace("core   reports       apps/server", "reports   apps/old-server")), [
      "ARCHITECTURE.md: the picture does not show core of packages/client/core. Add it.",
      "ARCHITECTURE.md: there is no apps/old-server. Correct or remove it."
    ])
  })

  it("are wrong if the codemap lacks a package, or a folder of a package that it describes", () => {
    const more = {
      ...rules,
      "packages/contract": { imports: [], folders: { ...rules["packages/contract"].folders, v5: ["."] } },
      "tools/new": { imports: [] }
    }
    assert.deepStrictEqual(found(page, more), [
      "ARCHITECTURE.md: the codemap has no row for `tools/new`. Add one.",
      "ARCHITECTURE.md: the codemap has no row for `packages/contract/src/v5`. Add one."
    ])
  })

  it("are wrong if the codemap has a missing place", () => {
    assert.deepStrictEqual(found(page.replace("`Wire.ts`", "`Wires.ts`")), [
      "ARCHITECTURE.md: there is no packages/contract/src/Wires.ts. Correct or remove it."
    ])
  })
})
