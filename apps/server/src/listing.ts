import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"

/** `--json`. */
export const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))

/** Columns as wide as what is in them. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

/** Prints lines. */
export const print = (lines: ReadonlyArray<string>) =>
  Effect.forEach(lines, (line) => Console.log(line), { discard: true })

/** The time since then, in words. */
export const since = (at_ms: number, now_ms: number) =>
  Duration.format(Duration.seconds(Math.max(0, Math.floor((now_ms - at_ms) / 1000))))

/** Characters that could move the cursor of a terminal, change its colors or reverse the direction of text. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** One line of a text that clients, pages or models wrote, for a terminal. */
export const shownOf = (text: string, most: number) => {
  const line = text
    .slice(0, 10 * most)
    .toWellFormed()
    .replaceAll(/\s+/gu, " ")
    .replaceAll(controls, "")
    .trim()
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line
}

/** JSON without characters that control a terminal; JSON itself escapes those below U+0020. */
export const jsonOf = (value: unknown) =>
  JSON.stringify(value).replaceAll(controls, (some) =>
    Array.from({ length: some.length }, (_, at) => `\\u${some.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
  )
