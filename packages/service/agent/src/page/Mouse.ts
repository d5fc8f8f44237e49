import type { CdpError, CdpSession } from "@webagent/cdp"
import * as Effect from "effect/Effect"

/** A point of a tab's viewport, in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

export type Button = "left" | "right"

const moves = 6

/** Keys that are held during a click. */
export type Modifier = keyof typeof modifierBits

const modifierBits = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const

/** Options of a click. */
export interface ClickOptions {
  readonly button?: Button
  readonly count?: number
  readonly modifiers?: ReadonlyArray<Modifier>
  /** Waits between the press and the release. */
  readonly hold?: Effect.Effect<void>
}

export const move = ({ send }: CdpSession, { x, y }: Point): Effect.Effect<void, CdpError> =>
  Effect.asVoid(send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y }))

/** Clicks; the events are sent in one go, unless the button is held. */
export const click = (
  { post, send }: CdpSession,
  { x, y }: Point,
  { button = "left", count = 1, hold, modifiers: keys = [] }: ClickOptions = {}
): Effect.Effect<void, CdpError> =>
  Effect.suspend(() => {
    const modifiers = keys.reduce((bits, key) => bits | modifierBits[key], 0)
    const down = { type: "mousePressed", x, y, button, buttons: button === "right" ? 2 : 1, modifiers } as const
    const up = { type: "mouseReleased", x, y, button, modifiers } as const
    post("Input.dispatchMouseEvent", { type: "mouseMoved", x, y, modifiers })
    for (let clickCount = 1; clickCount < count; clickCount++) {
      post("Input.dispatchMouseEvent", { ...down, clickCount })
      post("Input.dispatchMouseEvent", { ...up, clickCount })
    }
    post("Input.dispatchMouseEvent", { ...down, clickCount: count })
    const release = Effect.asVoid(send("Input.dispatchMouseEvent", { ...up, clickCount: count }))
    return hold === undefined ? release : Effect.andThen(hold, release)
  })

/** Turns the mouse wheel at a point, by a number of pixels. */
export const wheel = (
  { send }: CdpSession,
  { x, y }: Point,
  delta: { readonly deltaX: number; readonly deltaY: number }
): Effect.Effect<void, CdpError> =>
  Effect.asVoid(send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, ...delta }))

export const drag = Effect.fnUntraced(function* ({ send }: CdpSession, from: Point, to: Point) {
  const button = "left"
  yield* send("Input.dispatchMouseEvent", { type: "mouseMoved", ...from })
  yield* send("Input.dispatchMouseEvent", { type: "mousePressed", ...from, button, buttons: 1, clickCount: 1 })
  for (let at = 1; at <= moves; at++) {
    const x = from.x + ((to.x - from.x) * at) / moves
    const y = from.y + ((to.y - from.y) * at) / moves
    yield* send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y, button, buttons: 1 })
  }
  yield* send("Input.dispatchMouseEvent", { type: "mouseReleased", ...to, button, clickCount: 1 })
})
