import type { CdpError, CdpSession } from "@webagent/cdp"
import * as Effect from "effect/Effect"

/** A point of a tab's viewport, in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

export type Button = "left" | "right"

const moves = 6

export const move = ({ send }: CdpSession, { x, y }: Point): Effect.Effect<void, CdpError> =>
  Effect.asVoid(send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y }))

/** Clicks; the events are sent in one go. */
export const click = (
  { post, send }: CdpSession,
  { x, y }: Point,
  { button = "left", count = 1 }: { readonly button?: Button; readonly count?: number } = {}
): Effect.Effect<void, CdpError> =>
  Effect.suspend(() => {
    const down = { type: "mousePressed", x, y, button, buttons: button === "right" ? 2 : 1 } as const
    const up = { type: "mouseReleased", x, y, button } as const
    post("Input.dispatchMouseEvent", { type: "mouseMoved", x, y })
    for (let clickCount = 1; clickCount < count; clickCount++) {
      post("Input.dispatchMouseEvent", { ...down, clickCount })
      post("Input.dispatchMouseEvent", { ...up, clickCount })
    }
    post("Input.dispatchMouseEvent", { ...down, clickCount: count })
    return Effect.asVoid(send("Input.dispatchMouseEvent", { ...up, clickCount: count }))
  })

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
