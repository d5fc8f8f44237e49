import { texts } from "./Prose.ts"
import { findings, report } from "./Words.ts"

/** Lists the retired words of a page, one line each. */
export const problems = (file: string, page: string): ReadonlyArray<string> => {
  const lines = report(texts(file, page).flatMap(findings))
  return lines === "" ? [] : lines.split("\n")
}
