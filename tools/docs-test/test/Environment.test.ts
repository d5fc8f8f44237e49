import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { root } from "../src/Documents.ts"

/** Variables that programs of this repository pass to each other, and an example in a message. */
const internal = new Set(["WEBAGENT_LOAD_SUMMARY", "WEBAGENT_RUN_OF_PAGE", "WEBAGENT_SMALL_KEY"])

it("docs/environment.md has every variable that the sources read", () => {
  const page = readFileSync(join(root, "docs/environment.md"), "utf8")
  const sources = globSync("{packages/!(testing)/**/src/**/*.ts,apps/*/src/**/*.ts}", {
    cwd: root,
    exclude: (path) => path.includes("node_modules") || path.startsWith("apps/examples")
  })
  const literals = sources.flatMap(
    (file) => readFileSync(join(root, file), "utf8").match(/"WEBAGENT_[A-Z\d_]+"/gu) ?? []
  )
  const names = new Set(literals.map((literal) => literal.slice(1, -1)))
  assert.include(names, "WEBAGENT_API_KEY")
  const missing = [...names].filter((name) => {
    // the page has the rule for these
    if (/^WEBAGENT_(?:SERVER|HARNESS)_/u.test(name)) return false
    return !internal.has(name) && !page.includes(`\`${name}\``)
  })
  assert.deepStrictEqual(missing, [])
})
