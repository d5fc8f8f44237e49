import * as Effect from "effect/Effect"
import type { Night } from "@webagent/nights/Night"
import { usage } from "@webagent/cli/UserError"
import { program } from "./Program.ts"

/** Explains why a history has no nights, for example because its file does not exist. */
export const noNights = (file: string) =>
  usage(`${file} has no nights. Record one with ${program} run --record, or name another file with --history.`)

/** Fails if a text is empty, or still the "..." of a suggested command. */
export const refuseDots = (flag: string, text: string | undefined, what: string) =>
  /^[\s.]*$|^TEXT$/u.test(text ?? what) ? usage(`--${flag} is "${text}". Write ${what} there.`) : Effect.void

/** A night of the history by its start, by the beginning of its id, or by how long ago it was: `last`, `last-1`. */
export const ofHistory = Effect.fnUntraced(function* (
  word: string,
  nights: ReadonlyArray<Night>,
  file: string,
  what = "a night"
) {
  const [, back] = /^last(?:-(\d+))?$/u.exec(word) ?? []
  if (word === "last" || back !== undefined) {
    const night = nights.at(-1 - Number(back ?? 0))
    if (night !== undefined) return night
    if (nights.length === 0) return yield* noNights(file)
    return yield* usage(`${word} is before the first night: ${file} has ${nights.length}.`)
  }
  const found = nights.filter(({ id, startedAt }) => id.startsWith(word) || startedAt.slice(0, 19) === word)
  if (found.length > 1) return yield* usage(`"${word}" matches ${found.length} nights of ${file}. Give more of the id.`)
  return (
    found[0] ??
    (yield* usage(
      `"${word}" is not ${what} of ${file}. List nights with "${program} history"; last and last-1 are the newest.`
    ))
  )
})
