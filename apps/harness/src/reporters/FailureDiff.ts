import type { Style } from "@webagent/report/Style"

/** What differs where a check failed: expected lines keep their `- `, those that came their `+ `, whatever the colour. */
export const lines = (diff: ReadonlyArray<string>, style: Style): ReadonlyArray<string> => [
  `${style.bad("- expected")}  ${style.good("+ got")}`,
  ...diff.map((line) =>
    line.startsWith("- ") ? style.bad(line) : line.startsWith("+ ") ? style.good(line) : style.faint(line)
  )
]
