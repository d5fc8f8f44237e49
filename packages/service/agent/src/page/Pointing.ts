import * as Effect from "effect/Effect"
import { call } from "./Frame.ts"
import { act, type Action, find, frameOf, type Hands, locate, offsetOf, refuse } from "./Hands.ts"
import * as Mouse from "./Mouse.ts"
import { mainFrame } from "./Tab.ts"
import type { Press } from "./world/Locating.ts"

/** The direction of a scroll. */
export type Direction = "up" | "down" | "top" | "bottom"

/** That many pixels beside the middle of an element. */
export interface Beside {
  readonly dx?: number
  readonly dy?: number
}

const clicks_most = 3

/** Makes the actions of the mouse. */
export const make = (hands: Hands) => {
  const click = (
    index: number,
    { button = "left", count = 1 }: { readonly button?: Mouse.Button; readonly count?: number } = {}
  ): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const element = yield* find(tab, index, true, true)
        if (element.kind === "file") return yield* refuse("This chooses files: use `upload`.")
        const how = { button, count: Math.min(clicks_most, Math.max(1, Math.trunc(count))) }
        // a document that is gone was left by the click
        const pressed = Effect.orElseSucceed(call(element.frame, "pressed"), (): Press => "hit")
        yield* Mouse.click(tab.session, element, how)
        let press = yield* pressed
        if (press === "missed") {
          // it changed when the mouse came
          yield* call(element.frame, "settle", 50, 500)
          yield* Mouse.click(tab.session, yield* locate(tab, index, true, true), how)
          press = yield* pressed
          if (press === "missed")
            return yield* refuse(`Element ${index} moves away when the mouse comes: hover over it first.`)
        }
        if (press === "none") {
          // refused with the cover's name, if it is still there; a second click could be one too many
          yield* locate(tab, index)
          return yield* refuse(
            `The click did not reach element ${index}: another document, such as a frame, or the page itself took it. Look at the page before you click again.`
          )
        }
        if (press === "released elsewhere") {
          return "Pressed, but released on another element: this one moved away, or something opened over it."
        }
        return element.isHealed ? "Clicked the element that took its place." : "Clicked."
      })
    )

  const clickAt = (x: number, y: number): Action =>
    act(hands, (tab) => Effect.as(Mouse.click(tab.session, { x, y }), "Clicked."))

  const hover = (index: number, { dx = 0, dy = 0 }: Beside = {}): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const { x, y } = yield* find(tab, index)
        yield* Mouse.move(tab.session, { x: x + dx, y: y + dy })
        return "The mouse is over it."
      })
    )

  const drag = (
    from: number,
    to: number,
    { dx = 0, dy = 0, fromDx = 0, fromDy = 0 }: Beside & { readonly fromDx?: number; readonly fromDy?: number } = {}
  ) =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const start = yield* find(tab, from)
        const end = yield* find(tab, to, false)
        const begin = { x: start.x + fromDx, y: start.y + fromDy }
        yield* Mouse.drag(tab.session, begin, { x: end.x + dx, y: end.y + dy })
        return "Dragged."
      })
    )

  const highlight = (text: string, index: number | null = null): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const frame = index === null ? mainFrame(tab) : yield* frameOf(tab, index)
        const span = yield* call(frame, "spanOf", text, index)
        if (span !== null) {
          const { x, y } = yield* offsetOf(tab, frame)
          const shifted = (point: Mouse.Point) => ({ x: point.x + x, y: point.y + y })
          yield* Mouse.drag(tab.session, shifted(span.from), shifted(span.to))
        }
        return (yield* call(frame, "highlight", text, index)) ? "Selected." : yield* refuse("This text is not there.")
      })
    )

  const scroll = (
    direction: Direction,
    { index, pages = 1 }: { readonly index?: number; readonly pages?: number } = {}
  ) =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const frame = index === undefined ? mainFrame(tab) : yield* frameOf(tab, index)
        const moved = yield* call(frame, "scroll", index ?? null, direction, pages)
        return moved === 0 ? `It does not scroll further ${direction}.` : `Scrolled ${moved} px.`
      })
    )

  return { click, clickAt, hover, drag, highlight, scroll }
}
