import type { CdpError, CdpSession } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import type { Point } from "./world/Framing.ts"

export type { Point } from "./world/Framing.ts"

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

/**
 * Clicks; the events of each click are sent in one go, unless the button is held. The next click of two waits for the one
 * before, because a dialog that opens at that takes no click.
 */
export const click = Effect.fnUntraced(function* (
  { post, send }: CdpSession,
  { x, y }: Point,
  { button = "left", count = 1, hold, modifiers: keys = [] }: ClickOptions = {}
) {
  const modifiers = keys.reduce((bits, key) => bits | modifierBits[key], 0)
  post("Input.dispatchMouseEvent", { type: "mouseMoved", x, y, modifiers })
  for (let clickCount = 1; clickCount <= count; clickCount++) {
    const event = { x, y, button, modifiers, clickCount } as const
    post("Input.dispatchMouseEvent", { ...event, type: "mousePressed", buttons: button === "right" ? 2 : 1 })
    if (hold !== undefined && clickCount === count) yield* hold
    yield* send("Input.dispatchMouseEvent", { ...event, type: "mouseReleased" })
  }
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
