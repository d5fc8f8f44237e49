import * as Effect from "effect/Effect"
import { call } from "./Frame.ts"
import * as FileText from "./FileText.ts"
import { act, type Action, fileNamed, frameOf, type Hands, refuse, told } from "./Hands.ts"
import { bounded } from "./Look.ts"
import * as PdfText from "./PdfText.ts"
import * as Reader from "./Reader.ts"
import { unlessStopped } from "./Settle.ts"
import { words } from "./world/Words.ts"

const chars_most = 100_000
const part = 8000

/** Has no text look like a numbered element, also one that isn't read by a look. */
const { plain } = words()

/** The part of the task that `read` reads: the page unless it's an element or a file. */
export interface ReadOptions {
  readonly index?: number
  /** The name of a file. */
  readonly file?: string
  readonly offset?: number
}

/** Reads more of the page than a look shows. */
export const make = (hands: Hands) => {
  const { client, tabs } = hands

  const find = (wanted: string): Action =>
    Effect.flatMap(
      act(hands, function* (tab) {
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
      }),
      (text) => (text === "" ? Effect.succeed("It is not on the page.") : bounded(plain(text)))
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
        : yield* refuse("The page does not respond: look at it.")
    })
  )

  /** The whole text of an element: its value, its options, or what is in it. */
  const elementText = (index: number): Action =>
    act(hands, function* (tab) {
      return yield* call(yield* frameOf(tab, index), "whole", index)
    })

  const fileText = (name: string): Action =>
    Effect.gen(function* () {
      const file = yield* fileNamed(hands, name)
      if (file === undefined) {
        const names = hands
          .files()
          .map((one) => JSON.stringify(one.name))
          .join(", ")
        return yield* refuse(
          `The task has no file ${JSON.stringify(name)}. ${names === "" ? "It has none" : `It has ${names}`}.`
        )
      }
      const bytes = yield* hands.content(file)
      const content =
        bytes === null
          ? "This file can't be read here."
          : FileText.isPdf(bytes)
            ? yield* PdfText.of(bytes)
            : FileText.of(bytes)
      return typeof content === "string" ? yield* refuse(content) : hands.secrets.redact(content.text)
    })

  const read = ({ file, index, offset = 0 }: ReadOptions = {}): Action =>
    Effect.gen(function* () {
      const whole = yield* file !== undefined ? fileText(file) : index !== undefined ? elementText(index) : text
      const end = Math.min(whole.length, offset + part)
      const shown = yield* bounded(plain(whole.slice(offset, end).toWellFormed()))
      return `${shown}\n(${offset} to ${end} of ${whole.length})`
    })

  const extract: Action = Effect.flatMap(text, bounded)

  return { find, read, extract }
}
