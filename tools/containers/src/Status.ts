import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./build/workspace.ts"
import type { Result } from "./Report.ts"

/** The last time that a part of the test passed. */
export interface Proof {
  /** For example `2026-11-29`. */
  readonly date: string
  readonly facts: string
}

/** The proofs of all parts, by their names. */
export type Proofs = Readonly<Record<string, Proof>>

const file = join(root, "tools/containers/status.json")
const readme = join(root, "README.md")
const section = /(?<=<!-- Made by npm run test:containers -- --record -->\n)[^]*?(?=<!-- end -->)/u

/** Reads the proofs that are recorded in the repository. */
export const readProofs = (): Proofs => JSON.parse(readFileSync(file, "utf8"))

/** Returns the proofs with those of a run of the test. A part that failed or was skipped keeps its last proof. */
export const mergeProofs = (proofs: Proofs, results: ReadonlyArray<Result>, now: Date): Proofs => ({
  ...proofs,
  ...Object.fromEntries(
    results.flatMap((result) =>
      result._tag === "Passed" ? [[result.part, { date: now.toISOString().slice(0, 10), facts: result.facts }]] : []
    )
  )
})

/** Returns the table of the README. */
export const tableOf = (proofs: Proofs): string =>
  [
    "\n| part | result | date |",
    "| --- | --- | --- |",
    ...Object.entries(proofs).map(([part, { date, facts }]) => `| ${part} | ${facts} | ${date} |`),
    "\n"
  ].join("\n")

/** Returns a README with the table of the proofs. */
export const withTable = (text: string, proofs: Proofs): string => {
  if (!section.test(text)) throw new Error("README.md has no section for the table of the container test")
  return text.replace(section, () => tableOf(proofs))
}

/** Records the parts that passed, in the repository and in its README. */
export const recordStatus = (results: ReadonlyArray<Result>, now: Date): void => {
  const proofs = mergeProofs(readProofs(), results, now)
  writeFileSync(file, `${JSON.stringify(proofs, null, 2)}\n`)
  writeFileSync(readme, withTable(readFileSync(readme, "utf8"), proofs))
}
