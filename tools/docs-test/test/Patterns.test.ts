import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { guides, root } from "../src/Documents.ts"
import { measure } from "../src/Patterns.ts"

/** Close to the measures of the guides today. Move a number toward its goal whenever the text gets better. */
const limits = {
  most: { whatAsNoun: 33, nounOfNoun: 34, aForPer: 6, answer: 13, idiom: 4, inTables: 0.15 },
  least: { addressed: 40, example: 14 }
}

describe("the patterns of a page", () => {
  it("are counted per 10,000 words, without code", () => {
    const page = `# Title

It deletes what ended long ago. What is it? Ask what it is?

\`\`\`
limits of keys
\`\`\`

The limits of keys are 20 requests a minute, and takes a minute are not. It goes on and answers.

| you can |
| --- |
| for example |
`
    const { words, ...rates } = measure([page])
    const counts = Object.fromEntries(
      Object.entries(rates).map(([name, rate]) => [name, name === "inTables" ? rate : Math.round((rate * words) / 1e4)])
    )
    assert.deepStrictEqual(counts, {
      whatAsNoun: 1,
      nounOfNoun: 1,
      aForPer: 1,
      answer: 1,
      idiom: 1,
      addressed: 1,
      example: 1,
      inTables: 4 / words
    })
  })
})

describe("the guides", () => {
  const measures = measure(guides().map((file) => readFileSync(join(root, file), "utf8")))

  for (const [name, most] of Object.entries(limits.most)) {
    it(`have at most ${most} of ${name}`, () => {
      assert.isAtMost(measures[name as keyof typeof limits.most], most)
    })
  }
  for (const [name, least] of Object.entries(limits.least)) {
    it(`have at least ${least} of ${name}`, () => {
      assert.isAtLeast(measures[name as keyof typeof limits.least], least)
    })
  }
})
