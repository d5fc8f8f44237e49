import * as Effect from "effect/Effect"
import { innermost } from "./Affecting.ts"
import { call } from "./Frame.ts"
import { act, type Action, find, type Hands, locate, outward, refuse } from "./Hands.ts"
import * as Mouse from "./Mouse.ts"
import { pointBeside, type Beside } from "./Pointing.ts"
import { verified } from "./Verification.ts"
import type { Dropped } from "./world/Dragging.ts"

/** Options of a drag: it begins and ends that many pixels from the middle of each element. */
export interface DragOptions extends Beside {
  readonly fromDx?: number
  readonly fromDy?: number
}

/** Makes the action that drags an element. */
export const make = (hands: Hands) => ({
  drag: (from: number, to: number, { dx = 0, dy = 0, fromDx = 0, fromDy = 0 }: DragOptions = {}): Action =>
    act(hands, function* (tab) {
      yield* find(tab, from)
      yield* find(tab, to, false)
      // each may have been scrolled into sight, and the other one out of it
      const start = yield* locate(tab, from)
      const end = yield* locate(tab, to, false)
      const isOnto = from !== to && dx === 0 && dy === 0
      const isFromMiddle = fromDx === 0 && fromDy === 0
      // the frames around it may have scrolled as well
      const [now = start] = yield* outward(tab, start.frame, [start.inFrame])
      const isThere = Math.hypot(now.x - start.x, now.y - start.y) < 1
      const watched = isThere
        ? yield* call(start.frame, "watchDrag", from, start.inFrame, { x: fromDx, y: fromDy })
        : null
      if (watched === null) {
        return yield* refuse(
          `Elements ${from} and ${to} are too far apart to be in sight together, so nothing was dragged. Look for another way to move it.`
        )
      }
      if (isOnto) yield* call(end.frame, "watchDrop", to, start.frame === end.frame ? from : null)
      const point = yield* pointBeside(start, { dx: fromDx, dy: fromDy })
      // another frame, or the page around this one, may come to this point with the mouse
      yield* Mouse.move(tab.session, point)
      if (tab.frames.size > 1 && (yield* innermost(tab, point)) !== start.frame) {
        return yield* refuse(
          watched.isInside
            ? `Something covers element ${from}, so nothing was dragged. Look at the page.`
            : `The drag would begin outside of element ${from}, on something else, so nothing was dragged. Begin closer to its middle.`
        )
      }
      yield* Mouse.drag(tab.session, point, yield* pointBeside(end, { dx, dy }))
      yield* call(start.frame, "settle", 20, 200)
      const { isPressed, isRefused } = yield* call(start.frame, "dragged")
      if (!isPressed && isFromMiddle) {
        return yield* refuse(`The press did not reach element ${from}, so nothing was dragged. Look at the page.`)
      }
      if (isRefused) return yield* refuse(`Nothing there took element ${from}. Look at the page.`)
      yield* verified(false)
      if (!isOnto) return "Dragged."
      // a document that is gone was left by the drop
      const { on, release } = yield* Effect.orElseSucceed(call(end.frame, "dropped"), (): Dropped => ({
        release: "left",
        on: ""
      }))
      if (release === "moved") return `Dragged. Element ${to} has moved away from where it was: look at the page.`
      yield* verified(isPressed && release === "arrived")
      if (release === "arrived" || release === "left") return "Dragged."
      return yield* refuse(
        release === "none"
          ? `Element ${from} was dragged, but its release did not reach the page. Look at the page.`
          : `Element ${from} was dropped on ${on}, which is where element ${to} was. Look at the page.`
      )
    })
})
