/**
 * Records that a test has passed, with its facts and the date: `node tools/workspace/status.ts NAME FACTS`. The tests that
 * run what we ship call it with `--record`. `STATUS.md` shows the recorded results, and the README when the parts passed.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The last time that a test passed. */
export interface Proof {
  /** For example `2026-11-29`. */
  readonly date: string
  readonly facts: string
}

/** The proofs of all tests, by their names. */
export type Proofs = Readonly<Record<string, Proof>>

const file = fileURLToPath(new URL("status.json", import.meta.url))
const page = fileURLToPath(new URL("STATUS.md", import.meta.url))
const readme = fileURLToPath(new URL("../../README.md", import.meta.url))
const section =
  /(?<=<!-- Made by npm run test:containers and npm run release:dry, with -- --record -->\n)[^]*?(?=<!-- end -->)/u

/** Reads the proofs that are recorded in the repository. */
export const readProofs = (): Proofs => JSON.parse(readFileSync(file, "utf8"))

/** Returns the proofs with a new one in the place of an older one. */
export const withProof = (proofs: Proofs, name: string, facts: string, now: Date): Proofs => ({
  ...proofs,
  [name]: { date: now.toISOString().slice(0, 10), facts }
})

const withSection = (text: string, lines: ReadonlyArray<string>): string => {
  if (!section.test(text)) throw new Error("STATUS.md or README.md has no section for the recorded results")
  return text.replace(section, () => ["", ...lines, "", ""].join("\n"))
}

/** Returns a page with the table of the proofs. */
export const withTable = (text: string, proofs: Proofs): string => {
  const rows = Object.entries(proofs).map(([name, { date, facts }]) => `| ${name} | ${facts} | ${date} |`)
  return withSection(text, ["| part | result | date |", "| --- | --- | --- |", ...rows])
}

/** Returns a page with a sentence about the dates on which the parts passed last. */
export const withDates = (text: string, proofs: Proofs): string => {
  const dates = Array.from(Object.values(proofs), ({ date }) => date).toSorted()
  const when = dates[0] === dates.at(-1) ? `on ${dates[0]}` : `between ${dates[0]} and ${dates.at(-1)}`
  const sentence = `The container images, the Compose setups and the packages were last tested ${when} ([results](tools/workspace/STATUS.md)).`
  return withSection(text, [sentence])
}

if (import.meta.main) {
  const [name, facts] = process.argv.slice(2)
  const proofs =
    name === undefined || facts === undefined ? readProofs() : withProof(readProofs(), name, facts, new Date())
  writeFileSync(file, `${JSON.stringify(proofs, null, 2)}\n`)
  writeFileSync(page, withTable(readFileSync(page, "utf8"), proofs))
  writeFileSync(readme, withDates(readFileSync(readme, "utf8"), proofs))
}
