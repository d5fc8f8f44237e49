import * as Effect from "effect/Effect"
import { call } from "./Frame.ts"
import { find, type Found, pressed, refuse } from "./Hands.ts"
import * as Mouse from "./Mouse.ts"
import type { Press } from "./world/Guarding.ts"

/** Options of a guarded click. */
export interface PressOptions extends Omit<Mouse.ClickOptions, "hold"> {
  /** The milliseconds between the press and the release. */
  readonly hold_ms?: number
}

/** Clicks an element that was found with a guard. Finds it once more if it changed when the mouse came. */
export const press = Effect.fnUntraced(function* (
  index: number,
  element: Found,
  { hold_ms = 0, ...options }: PressOptions = {}
) {
  const { frame, tab } = element
  const { world } = frame
  let isReleasedElsewhere = false
  const hold = Effect.andThen(
    Effect.sleep(hold_ms),
    Effect.sync(() => (isReleasedElsewhere = frame.world !== world))
  )
  const how = hold_ms > 0 ? { ...options, hold: Effect.asVoid(hold) } : options
  const outcome = Effect.map(
    pressed(tab, frame),
    // a document that is gone after the release was left by the click
    (now): Press => (now === "left" && !isReleasedElsewhere ? "hit" : now)
  )
  yield* Mouse.click(tab.session, element, how)
  const first = yield* outcome
  if (first !== "missed") return first
  yield* call(frame, "settle", 50, 500)
  yield* Mouse.click(tab.session, yield* find(tab, index, true, options.count ?? 1), how)
  return yield* outcome
})

/** Returns the reason why a press became no click. */
export const unclicked = (index: number, outcome: Press): string | undefined => {
  const unseen = "so there was no click. Look at the page, and click again if nothing happened."
  switch (outcome) {
    case "replaced":
      return `The page replaced element ${index} while it was pressed, ${unseen}`
    case "disabled":
      return `The page disabled element ${index} while it was pressed, ${unseen}`
    case "moved":
      return `Element ${index} moved away while it was pressed, ${unseen}`
    case "stopped":
      return `Element ${index} was pressed, but the page stopped the click. Look at the page.`
    case "partly":
      return `Element ${index} was clicked once. Then something else was in its place, so the next click wasn't made. Look at the page.`
    case "missed":
      return `Element ${index} moves away when the mouse comes: hover over it first.`
    default:
      return undefined
  }
}

/** Clicks an element. Refused if something else takes its place when the mouse comes. */
export const pressOrRefuse = Effect.fnUntraced(function* (index: number, element: Found) {
  const outcome = yield* press(index, element)
  // of any other outcome, the focus or the state of the element tells more
  if (outcome === "missed") return yield* refuse(unclicked(index, outcome) ?? "")
})
