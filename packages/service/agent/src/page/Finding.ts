import * as Effect from "effect/Effect"
import { call } from "./Frame.ts"
import { act, type Action, type Hands, refuse, told } from "./Hands.ts"
import { bounded } from "./Look.ts"
import * as Reader from "./Reader.ts"
import { unlessStopped } from "./Settle.ts"

const chars_most = 100_000
const part = 8000

/** Reads more of the page than a look shows. */
export const make = (hands: Hands) => {
  const { client, tabs } = hands

  const find = (wanted: string): Action =>
    Effect.flatMap(
      act(
        hands,
        Effect.fnUntraced(function* (tab) {
          const matches: Array<string> = []
          for (const frame of tab.frames.values()) {
            if (!tab.mayLoad(frame.url)) continue
            const inFrame = call(frame, "find", wanted)
            // a frame may be gone, the document itself may not
            matches.push(...(yield* frame.id === tab.target ? inFrame : Effect.orElseSucceed(inFrame, () => [])))
          }
          return matches
            .slice(0, 8)
            .map((text) => `- ${text}`)
            .join("\n")
        })
      ),
      (text) => (text === "" ? Effect.succeed("It is not on the page.") : bounded(text))
    )

  /** The text of the whole document, those of its frames included. */
  const text = told(
    hands,
    Effect.gen(function* () {
      const tab = tabs.front()
      if (tab.dialog !== undefined) return yield* refuse("The page asks something: answer it with `dialog` first.")
      const read = yield* unlessStopped(client, tab, Reader.read(tab, { margin: null, maxChars: chars_most }))
      return read?._tag === "Some"
        ? hands.secrets.redact(read.value.text)
        : yield* refuse("The page does not answer: look at it.")
    })
  )

  const read = (offset = 0): Action =>
    Effect.gen(function* () {
      const whole = yield* text
      const end = Math.min(whole.length, offset + part)
      const shown = yield* bounded(whole.slice(offset, end).toWellFormed())
      return `${shown}\n(${offset} to ${end} of ${whole.length})`
    })

  const extract: Action = Effect.flatMap(text, bounded)

  return { find, read, extract }
}
