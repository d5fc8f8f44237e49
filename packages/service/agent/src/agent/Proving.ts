import type { StepCall } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type BrowserLost, Refused } from "../page/Failures.ts"
import type { ShownElement } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import { originOf } from "../page/Recalling.ts"
import type { Seen } from "./Seen.ts"
import { labelOf } from "./StepSummary.ts"
import { askName, doneName, elementNames, focusName, pressName } from "./Tools.ts"

interface ProvingOptions {
  readonly page: Pick<Page, "look" | "recall" | "rememberFocused" | "rememberPage">
  readonly seen: Seen
  /** All calls of the recorded run. */
  readonly calls: ReadonlyArray<StepCall.StepCall>
}

/** The page and elements of a recorded call, which were found again. */
export interface Proven {
  /** The numbers of its elements on this page, by the names of the arguments. */
  readonly numbers: Readonly<Record<string, number>>
  readonly recalled: ReadonlyArray<ShownElement>
  /** True if the page has another path now, or an element another place. */
  readonly isMoved: boolean
}

/** Tools that work on any page. */
const anywhere: ReadonlySet<string> = new Set(["navigate", "wait", "find", "read", "extract", doneName])

/** Returns why a recorded call can't be made again without the model: its target isn't sure to be the same. */
const unrepeatable = ({ elements, isComplete, page, params, tool }: StepCall.StepCall): string | undefined => {
  if (!isComplete) {
    return "It used a text that isn't stored, such as a password. Bind a password as a secret, so that it can be typed again."
  }
  if (tool === askName) return "It asked a person, whose response may be another one now."
  if (tool === "clickAt") return "It clicked a point of the screen, and something else may be there now."
  if (tool === "tab" && params["do"] !== "open") return "It used a tab by its number, which may be another tab now."
  if (tool === pressName && elements[focusName] === undefined) return "It pressed keys without an element in focus."
  if (elementNames.some((name) => typeof params[name] === "number")) {
    return "Nothing distinguished its element from others."
  }
  return page === undefined && !anywhere.has(tool) ? "The page was not recorded with it." : undefined
}

/** Returns whether elements have the same role and name, so that a person calls them the same. */
const isAlike = (one: StepCall.RecordedElement, other: StepCall.RecordedElement) =>
  one.role === other.role && one.name === other.name && one.frame === other.frame

/** For how long an element or a word may take to appear, and how often the page is looked at meanwhile. */
const patience = "5 seconds"
const pause = "100 millis"

/** Waits until an effect has a value. */
const until = <A, E>(effect: Effect.Effect<A | null, E>): Effect.Effect<A | null, E> =>
  effect.pipe(
    Effect.tap((value) => (value === null ? Effect.sleep(pause) : Effect.void)),
    Effect.repeat({ until: (value) => value !== null }),
    Effect.timeoutOption(patience),
    Effect.map(Option.getOrNull)
  )

/** Makes the check that a recorded call acts on the same page and elements as in the recorded run. It fails if that isn't sure. */
export const make = ({ calls, page, seen }: ProvingOptions) => {
  const used = calls.flatMap(({ elements }) => Object.values(elements))

  /** The element to find. Where the run used others that are alike, one after the other, the text around it counts. */
  const soughtOf = (element: StepCall.RecordedElement): StepCall.RecordedElement => {
    const others = used.filter((one) => isAlike(one, element))
    const isSame = others.every(({ around, path }) => path === element.path && around === element.around)
    return element.near !== "" || isSame ? element : { ...element, near: element.around ?? "" }
  }

  /** The element again, maybe after a look, because frames and closed shadow roots are learned by looks. */
  const find = (element: StepCall.RecordedElement) =>
    Effect.flatMap(page.recall(element), (atOnce) =>
      atOnce === null
        ? until(
            Effect.andThen(page.look(), ({ text }) => {
              seen.add(text)
              return page.recall(element)
            })
          )
        : Effect.succeed(atOnce)
    )

  /** Waits for the page that a call was recorded on. */
  const waitForPage = Effect.fnUntraced(function* ({ address, heading }: StepCall.RecordedPage) {
    const isThere = Effect.map(page.rememberPage, (now) => {
      const isSame = now?.heading === heading && originOf(now.address) === originOf(address)
      return isSame ? now : null
    })
    const now = yield* until(isThere)
    if (now === null) {
      return yield* new Refused({
        message: `This isn't the page of the recorded step, which was ${JSON.stringify(heading)} at ${originOf(address)}.`
      })
    }
    return now.address !== address
  })

  const isFocused = (element: StepCall.RecordedElement) =>
    until(
      Effect.map(page.rememberFocused, (now) =>
        now !== null && isAlike(now, element) && now.near === element.near && now.around === element.around ? now : null
      )
    )

  const checkResult = Effect.fnUntraced(function* ({ params, words = [] }: StepCall.StepCall) {
    const [first] = seen.unproven(params["output"], words)
    if (first === undefined) return yield* waitForWords(words)
    return yield* new Refused({
      message: `The recorded result has ${JSON.stringify(first)}, which no page showed, so it can't be checked.`
    })
  })

  const waitForWords = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
    if (seen.missing(words).length === 0) return
    yield* until(
      Effect.map(page.look(), ({ text }) => {
        seen.add(text)
        return seen.missing(words).length === 0 ? true : null
      })
    )
    const [first, ...others] = seen.missing(words)
    if (first === undefined) return
    const more = others.length === 0 ? "" : ` and ${others.length} more ${others.length === 1 ? "word" : "words"}`
    return yield* new Refused({
      message: `The pages don't show ${JSON.stringify(first)}${more} of the recorded result any more.`
    })
  })

  return Effect.fnUntraced(function* (record: StepCall.StepCall): Effect.fn.Return<Proven, BrowserLost | Refused> {
    const reason = unrepeatable(record)
    if (reason !== undefined) return yield* new Refused({ message: reason })
    if (record.tool === doneName) yield* checkResult(record)
    let isMoved = record.page !== undefined && !anywhere.has(record.tool) && (yield* waitForPage(record.page))
    const numbers: Record<string, number> = {}
    const recalled: Array<ShownElement> = []
    for (const [name, element] of Object.entries(record.elements)) {
      if (name === focusName) {
        if ((yield* isFocused(element)) !== null) continue
        return yield* new Refused({ message: `The focus isn't on ${labelOf(element)}.` })
      }
      const now = yield* find(soughtOf(element))
      if (now === null) {
        return yield* new Refused({
          message: `The page has no ${labelOf(element)}, or several that can't be told apart.`
        })
      }
      isMoved ||= now.isMoved
      recalled.push(now.shown)
      numbers[name] = now.shown.number
    }
    return { numbers, recalled, isMoved }
  })
}
