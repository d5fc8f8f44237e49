import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { basic } from "./Basic.ts"
import { further } from "./Further.ts"
import { functions } from "./functions.ts"

const folder = fileURLToPath(new URL("..", import.meta.url))

const sources = globSync(["e2e/*.test.ts", "screens/*.test.ts"], { cwd: folder }).map((file) =>
  readFileSync(`${folder}${file}`, "utf8")
)

describe("every function of the console", () => {
  const used = new Set<string>([...basic, ...further].flatMap(({ uses }) => uses))
  for (const [name, title] of Object.entries(functions)) {
    it(`${name} has a journey over SQLite and over two nodes, or its own test`, () => {
      const starts = [`"${title}`, `\`${title}`]
      const isTested = title !== null && sources.some((source) => starts.some((start) => source.includes(start)))
      assert.isTrue(used.has(name) || isTested, `Nothing uses ${name}`)
    })
  }
})
