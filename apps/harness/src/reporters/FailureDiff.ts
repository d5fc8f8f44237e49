import type { Style } from "@webagent/cli/Style"

/**
 * Formats the difference of a failed check: expected lines keep their `- ` and actual lines their `+ ` even without
 * color.
 */
export const lines = (diff: ReadonlyArray<string>, style: Style): ReadonlyArray<string> => [
  `${style.bad("- expected")}  ${style.good("+ got")}`,
  ...diff.map((line) =>
    line.startsWith("- ") ? style.bad(line) : line.startsWith("+ ") ? style.good(line) : style.faint(line)
  )
]
