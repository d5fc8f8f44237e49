import { type Rule } from "./arrows.ts"

const begin = "<!-- arrows: written from tools/arrows/src/arrows.ts by `pnpm boundaries --write` -->"
const end = "<!-- /arrows -->"

const short = (folder: string): string => folder.replace(/^packages\/(?:[^/]+\/)?/u, "")

const listed = (list: ReadonlyArray<string>): string => list.map(short).join(" ") || "-"

const drawn = (rules: Readonly<Record<string, Rule>>): string => {
  const width = Math.max(...Object.keys(rules).map((folder) => folder.length))
  const lines = Object.entries(rules).flatMap(([folder, { folders = {}, imports, tests = [] }]) => {
    const besides = tests.length === 0 ? "" : `   (tests: ${listed(tests)})`
    const inner = Object.entries(folders).filter(([name]) => name !== "." || Object.keys(folders).length > 1)
    return [
      `${folder.padEnd(width)} -> ${listed(imports)}${besides}`,
      ...inner.map(
        ([name, to]) =>
          `${`  ${name === "." ? "src" : `src/${name}`}`.padEnd(width)} -> ${to.map((one) => (one === "." ? "src" : one)).join(" ") || "-"}`
      )
    ]
  })
  return ["```", ...lines, "```"].join("\n")
}

/** ARCHITECTURE.md with its section of arrows as `rules` say. */
export const written = (page: string, rules: Readonly<Record<string, Rule>>): string => {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`ARCHITECTURE.md has no lines "${begin}" and "${end}". Put them back.`)
  return `${page.slice(0, from + begin.length)}\n\n${drawn(rules)}\n\n${page.slice(to)}`
}

/** What ARCHITECTURE.md says of the arrows that is no longer true, one line each. */
export const stale = (page: string, rules: Readonly<Record<string, Rule>>): ReadonlyArray<string> =>
  written(page, rules) === page ? [] : ["ARCHITECTURE.md: its arrows are out of date. Run pnpm boundaries --write."]
