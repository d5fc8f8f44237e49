import * as Effect from "effect/Effect"
import { call } from "./Frame.ts"
import { type Found, locate } from "./Hands.ts"
import * as Mouse from "./Mouse.ts"
import type { Press } from "./world/Guarding.ts"

/** Clicks an element that was found with a guard. Locates it once more if it changed when the mouse came. */
export const press = Effect.fnUntraced(function* (index: number, element: Found, options: Mouse.ClickOptions = {}) {
  const { frame, tab } = element
  // a document that is gone was left by the click
  const pressed = Effect.orElseSucceed(call(frame, "pressed"), (): Press => "hit")
  yield* Mouse.click(tab.session, element, options)
  const first = yield* pressed
  if (first !== "missed") return first
  yield* call(frame, "settle", 50, 500)
  yield* Mouse.click(tab.session, yield* locate(tab, index, true, true), options)
  return yield* pressed
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
    case "missed":
      return `Element ${index} moves away when the mouse comes: hover over it first.`
    default:
      return undefined
  }
}
