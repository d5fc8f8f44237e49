import { assert, describe, it } from "vitest"
import { problemsByFile } from "../src/ProblemsByFile.ts"
import { problems } from "../src/Page.ts"
import { sourceTexts } from "../src/SourceText.ts"
import { findings } from "../src/Words.ts"

const inText = (text: string) => findings({ file: "a.md", line: 1, text }).map(({ line, word }) => [line, word])

describe("retired words", () => {
  it("are found with their line, in any case, even across lines", () => {
    assert.deepStrictEqual(inText("Nobody knows.\nIt is left to\nitself, and dearer."), [
      [1, "nobody"],
      [3, "dearer"],
      [2, "left to itself"]
    ])
    assert.deepStrictEqual(inText("Performers at desks"), [
      [1, "desk"],
      [1, "performer"]
    ])
  })

  it("are whole words", () => {
    assert.deepStrictEqual(inText("a desktop, shallow marshalls, desk-check, commend, so manyfold"), [])
  })

  it("are found in literals, templates, comments and names of source code, but not in import paths", () => {
    const source = [
      `import { all } from "./nobody.ts"`,
      `// nobody`,
      `/** For whoever reads. */`,
      `export const desk = (count: number) => fail(\`\${count} runs, \${"so many"},`,
      `of which \${count} are "nobody's"\`)`,
      `export const text: string = 'It shall end'`,
      `export interface RealTroubles extends Night_Book<typeof desk> {}`
    ].join("\n")
    assert.deepStrictEqual(
      sourceTexts("src/TheAudience.ts", source)
        .flatMap(findings)
        .map(({ line, word }) => `${line} ${word}`)
        .toSorted(),
      [
        "1 audience",
        "2 nobody",
        "3 whoever",
        "4 desk",
        "4 so many",
        "5 nobody",
        "5 of which",
        "6 shall",
        "7 night book",
        "7 trouble"
      ]
    )
  })
})

describe("a page", () => {
  it("may have long sentences and many words, and its code isn't read", () => {
    const page = `# Title\n\n${"word ".repeat(2000)}end.\n\n\`\`\`\nnobody\n\`\`\`\n\nYou see \`nobody\`.\n`
    assert.deepStrictEqual(problems("docs/a.md", page), [])
  })

  it("is reported with the place of a retired word, and a better one", () => {
    assert.deepStrictEqual(problems("docs/a.md", "Fine.\n\n| head |\n| --- |\n| nobody |\n"), [
      'docs/a.md:5: "nobody": write name the actor: "no client", "the service does not"'
    ])
  })
})

describe("words", () => {
  for (const [kind, files] of Map.groupBy([...problemsByFile()], ([file]) =>
    file.endsWith(".ts") ? "modules" : "documents"
  )) {
    it(`of ${kind} are plain`, () => {
      const lines = files.flatMap(([, lines]) => lines)
      assert.isEmpty(lines, `npm run words shows them:\n${lines.join("\n")}\n`)
    })
  }
})
