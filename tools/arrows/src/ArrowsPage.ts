import { type Rule } from "./arrows.ts"

const header = `# Who may import whom

<!-- Generated from src/arrows.ts by \`pnpm boundaries --write\`. -->

The first column is a package or a folder of its \`src\`, and the second one lists what it may import. \`-\` means no workspace package.
`

const short = (folder: string): string => folder.replace(/^packages\/(?:[^/]+\/)?/u, "")

const listed = (list: ReadonlyArray<string>): string => list.map(short).join(" ") || "-"

const drawn = (rules: Readonly<Record<string, Rule>>): string => {
  const width = Math.max(...Object.keys(rules).map((folder) => folder.length))
  const lines = Object.entries(rules).flatMap(([folder, { folders = {}, imports, tests = [] }]) => {
    const testImports = tests.length === 0 ? "" : `   (tests: ${listed(tests)})`
    const inner = Object.entries(folders).filter(([name]) => name !== "." || Object.keys(folders).length > 1)
    return [
      `${folder.padEnd(width)} -> ${listed(imports)}${testImports}`,
      ...inner.map(
        ([name, to]) =>
          `${`  ${name === "." ? "src" : `src/${name}`}`.padEnd(width)} -> ${to.map((one) => (one === "." ? "src" : one)).join(" ") || "-"}`
      )
    ]
  })
  return ["```", ...lines, "```"].join("\n")
}

/** Returns the text of ARROWS.md for a table of rules. */
export const page = (rules: Readonly<Record<string, Rule>>): string => `${header}\n${drawn(rules)}\n`

/** Lists what is wrong with ARROWS.md: one line if it doesn't match the rules. */
export const stale = (text: string, rules: Readonly<Record<string, Rule>>): ReadonlyArray<string> =>
  text === page(rules) ? [] : ["tools/arrows/ARROWS.md is out of date. Run pnpm boundaries --write."]
