import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Refused } from "./Failures.ts"

/** Receives whether an action could verify its effect, if it knows better than its tool. */
export const OnVerified: Context.Reference<(isVerified: boolean) => void> = Context.Reference(
  "@webagent/agent/OnVerified",
  { defaultValue: (): ((isVerified: boolean) => void) => () => {} }
)

/** Reports whether an action could verify its effect. */
export const verified = (isVerified: boolean) => Effect.map(OnVerified, (receive) => receive(isVerified))

/** The part of a text that masks and formats, such as those of telephone numbers, leave as it is. */
const bare = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, "").toLowerCase()

const isWithin = (one: string, other: string) => other.includes(one) || one.includes(other)

/**
 * Checks that a field has the text that was entered, and returns a sentence. Refused if the page emptied the field or
 * left it as it was. A field that the page formatted isn't verified, and neither is one that can't be read, with `null`,
 * or that is gone, with `undefined`.
 * `quote` returns `null` for a value that the model may not see.
 */
export const checkEntered = Effect.fnUntraced(function* (
  before: string | null,
  entered: string,
  expected: string,
  now: string | null | undefined,
  quote: (text: string) => string | null
) {
  const isExpected = now === expected || now === expected.replaceAll(/\s+/gu, " ").trim()
  yield* verified(isExpected)
  if (now === undefined) return "Typed. The field is gone now, so its text could not be checked."
  if (now === null || isExpected) return "Typed."
  if (now.trim() === "") {
    return yield* new Refused({
      message:
        "The field is empty: it didn't take the text, or the page turned it into something else, such as a tag. Look at the page before you type it again."
    })
  }
  const quoted = quote(now)
  // a comparison with the text would tell a password letter by letter
  if (now === before && quoted === null) return "Typed, but the field's value is unchanged."
  if (now === before && !isWithin(bare(now), bare(entered))) {
    return yield* new Refused({ message: `The field didn't take the text: it still reads ${quoted}.` })
  }
  return quoted === null ? "Typed; the field now has another value." : `Typed; the field now reads ${quoted}.`
})
