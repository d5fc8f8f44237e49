import * as Effect from "effect/Effect"
import { innermost } from "./Affecting.ts"
import { call } from "./Frame.ts"
import { act, type Action, find, type Found, frameOf, type Hands, locate, outward, refuse } from "./Hands.ts"
import * as Mouse from "./Mouse.ts"
import { press, unclicked } from "./Pressing.ts"
import { mainFrame, type Tab } from "./Tab.ts"
import { verified } from "./Verification.ts"
import type { Press } from "./world/Guarding.ts"
import type { Direction } from "./world/Moving.ts"

export type { Direction } from "./world/Moving.ts"

/** That many pixels beside the middle of an element. */
export interface Beside {
  readonly dx?: number
  readonly dy?: number
}

/** Returns the point that many pixels from an element's own, as its frame counts pixels. */
export const pointBeside = ({ frame, inFrame, tab, x, y }: Found, { dx = 0, dy = 0 }: Beside) =>
  dx === 0 && dy === 0
    ? Effect.succeed<Mouse.Point>({ x, y })
    : Effect.map(
        outward(tab, frame, [{ x: inFrame.x + dx, y: inFrame.y + dy }]),
        ([point = { x: x + dx, y: y + dy }]) => point
      )

const clicks_most = 3
const hold_seconds = 10

/** The pixels of a notch of the mouse wheel. */
const notch = 100

/** Options of a scroll. */
export interface ScrollOptions {
  readonly index?: number
  readonly pages?: number
  /** Turns the mouse wheel over the element instead; `pages` is the number of notches. */
  readonly wheel?: boolean
}

/** A press that no click followed, as the page may have wanted it. */
const pressedOnly: Partial<Record<Press, string>> = {
  removed: "Pressed. The element left the page at the press, before a click: check that this was wanted.",
  left: "Pressed. The page left at the press, before a click: check that this was wanted.",
  covered: "Pressed. Something opened over the element at the press, before a click: look at the page."
}

const over = "The mouse is over it."
const movedAway = "The mouse was moved to it, and now something else is there: look at the page."

/** Makes the actions of the mouse. */
export const make = (hands: Hands) => {
  const click = (
    index: number,
    { count = 1, hold = 0, ...others }: Omit<Mouse.ClickOptions, "hold"> & { readonly hold?: number } = {}
  ): Action =>
    act(hands, function* (tab) {
      const how = {
        ...others,
        count: Math.min(clicks_most, Math.max(1, Math.trunc(count))),
        hold_ms: 1000 * Math.min(hold_seconds, Math.max(0, hold))
      }
      const element = yield* find(tab, index, true, how.count)
      if (element.kind === "file") return yield* refuse("This chooses files: use `upload`.")
      const outcome = yield* press(index, element, how)
      const why = unclicked(index, outcome)
      if (why !== undefined) return yield* refuse(why)
      if (outcome === "none") {
        // refused with the cover's name, if it is still there; a second click could be one too many
        yield* locate(tab, index)
        return yield* refuse(
          `The click did not reach element ${index}: another document, such as a frame, or the page itself took it. Look at the page before you click again.`
        )
      }
      yield* verified(pressedOnly[outcome] === undefined)
      return pressedOnly[outcome] ?? (element.isHealed ? "Clicked the element that took its place." : "Clicked.")
    })

  const clickAt = (x: number, y: number): Action =>
    act(hands, function* (tab) {
      const { frame, why } = yield* call(mainFrame(tab), "hearPress", x, y)
      if (why !== null) return yield* refuse(why)
      yield* Mouse.click(tab.session, { x, y })
      // a document that is gone was left by the click
      const label = (yield* Effect.orElseSucceed(call(mainFrame(tab), "pressedOn"), () => "the page")) ?? frame
      return label === null
        ? yield* refuse("The click did not reach the page at this point. Look at the page.")
        : `Clicked at this point, on ${label}.`
    })

  const hover = (index: number, { dx = 0, dy = 0 }: Beside = {}): Action =>
    act(hands, function* (tab) {
      const element = yield* find(tab, index)
      yield* Mouse.move(tab.session, yield* pointBeside(element, { dx, dy }))
      const { frame } = element
      const isBeside = dx !== 0 || dy !== 0
      const isOver = isBeside || (yield* call(frame, "isHovered", index))
      yield* verified(isOver && !isBeside)
      return isOver ? over : movedAway
    })

  /** Returns the frame that shows a text, with its place there. The page itself is the first. */
  const placeOf = Effect.fnUntraced(function* (tab: Tab, text: string) {
    for (const frame of new Set([mainFrame(tab), ...tab.frames.values()])) {
      if (!tab.mayLoad(frame.url)) continue
      const inFrame = call(frame, "spanOf", text, null)
      // a frame may be gone, the page itself may not
      const span = yield* frame.id === tab.target ? inFrame : Effect.orElseSucceed(inFrame, () => null)
      if (span !== null) return { frame, span }
    }
    return yield* refuse("This text is not there.")
  })

  /** Moves the mouse over a text of the page, which needs no number. */
  const hoverText = (text: string): Action =>
    act(hands, function* (tab) {
      const { frame, span } = yield* placeOf(tab, text)
      const inFrame = { x: span.from.x + 2, y: span.from.y }
      const [point = inFrame] = yield* outward(tab, frame, [inFrame])
      yield* Mouse.move(tab.session, point)
      const isOver = yield* call(frame, "showsText", text, inFrame)
      yield* verified(isOver)
      return isOver ? over : movedAway
    })

  const highlight = (text: string, index: number | null = null): Action =>
    act(hands, function* (tab) {
      const frame = index === null ? (yield* placeOf(tab, text)).frame : yield* frameOf(tab, index)
      const span = yield* call(frame, "spanOf", text, index)
      if (span?.isPlain === true) {
        const [from = span.from, to = span.to] = yield* outward(tab, frame, [span.from, span.to])
        // the page may cover the text or its frame when the mouse comes
        yield* Mouse.move(tab.session, from)
        const now = yield* call(frame, "spanOf", text, index)
        const isThere = JSON.stringify(now) === JSON.stringify(span) && (yield* innermost(tab, from)) === frame
        if (isThere) yield* Mouse.drag(tab.session, from, to)
      }
      const why = yield* call(frame, "highlight", text, index)
      return why === null ? "Selected." : yield* refuse(why)
    })

  const turnWheel = (direction: Direction, index: number, notches: number) =>
    act(hands, function* (tab) {
      const { frame, x, y } = yield* find(tab, index)
      const by = notch * Math.max(1, Math.trunc(notches)) * (/^(?:up|top|left)$/u.test(direction) ? -1 : 1)
      const isSideways = direction === "left" || direction === "right"
      yield* call(frame, "hearWheel", index)
      yield* Mouse.wheel(tab.session, { x, y }, { deltaX: isSideways ? by : 0, deltaY: isSideways ? 0 : by })
      return (yield* call(frame, "hasWheeled"))
        ? "The mouse wheel was turned over it."
        : yield* refuse(`The turn of the mouse wheel did not reach element ${index}. Look at the page.`)
    })

  const scroll = (direction: Direction, { index, pages = 1, wheel = false }: ScrollOptions = {}): Action => {
    if (wheel && index !== undefined) return turnWheel(direction, index, pages)
    if (wheel) return refuse("Name the element over which the mouse wheel turns.")
    return act(hands, function* (tab) {
      const frame = index === undefined ? mainFrame(tab) : yield* frameOf(tab, index)
      const moved = yield* call(frame, "scroll", index ?? null, direction, pages)
      yield* verified(moved !== 0)
      return moved === 0 ? `It does not scroll further ${direction}.` : `Scrolled ${moved} px.`
    })
  }

  return { click, clickAt, hover, hoverText, highlight, scroll }
}
