import * as Effect from "effect/Effect"
import { call } from "./Frame.ts"
import { act, type Action, find, frameOf, type Hands, refuse } from "./Hands.ts"
import * as Mouse from "./Mouse.ts"
import { mainFrame } from "./Tab.ts"

/** Where to scroll. */
export type Direction = "up" | "down" | "top" | "bottom"

const clicks_most = 3

/** What is done with the mouse. */
export const make = (hands: Hands) => {
  const click = (
    index: number,
    { button = "left", count = 1 }: { readonly button?: Mouse.Button; readonly count?: number } = {}
  ): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const found = yield* find(tab, index)
        if (found.kind === "file") return yield* refuse("This chooses files: use `upload`.")
        yield* Mouse.click(tab.session, found, { button, count: Math.min(clicks_most, Math.max(1, Math.trunc(count))) })
        return found.isHealed ? "Clicked the element that took its place." : "Clicked."
      })
    )

  const clickAt = (x: number, y: number): Action =>
    act(hands, (tab) => Effect.as(Mouse.click(tab.session, { x, y }), "Clicked."))

  const hover = (index: number): Action =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        yield* Mouse.move(tab.session, yield* find(tab, index))
        return "The mouse is over it."
      })
    )

  const drag = (from: number, to: number, { dx = 0, dy = 0 }: { readonly dx?: number; readonly dy?: number } = {}) =>
    act(
      hands,
      Effect.fnUntraced(function* (tab) {
        const start = yield* find(tab, from)
        const end = yield* find(tab, to, false)
        yield* Mouse.drag(tab.session, start, { x: end.x + dx, y: end.y + dy })
        return "Dragged."
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

  return { click, clickAt, hover, drag, scroll }
}
