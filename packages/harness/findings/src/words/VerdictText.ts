/** Words of verdicts that read better than their names in files. */
const words: Readonly<Record<string, string>> = {
  claimed: "false success",
  infra: "interrupted",
  unscored: "not scored"
}

/** Returns the word for a verdict: the same on every page and in every report for people. */
export const word = (verdict: string): string => words[verdict] ?? verdict
