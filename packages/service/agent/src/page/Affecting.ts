import * as Effect from "effect/Effect"
import { call, type Frame } from "./Frame.ts"
import { type Hands, outerFrames } from "./Hands.ts"
import type { Point } from "./Mouse.ts"
import { mainFrame, type Tab } from "./Tab.ts"

/** Limits how long a page may take to find the frame of an action. */
const patience = "2 seconds"

/** Returns the innermost frame at a point, or without a point the one that receives keys; undefined if it isn't known. */
export const innermost = Effect.fnUntraced(function* (tab: Tab, point: Point | null) {
  let frame: Frame | undefined = mainFrame(tab)
  for (let at = point; frame !== undefined;) {
    const inner = yield* call(frame, "frameFor", at)
    if (inner === null) return frame
    at = inner.point
    frame = tab.frames.get(inner.id ?? "")
  }
  return frame
})

/** Returns the frames that a call affects in a tab, each undefined if it isn't known. */
const framesOf = Effect.fnUntraced(function* (tab: Tab, tool: string, params: Readonly<Record<string, unknown>>) {
  const { dx, dy, from, fromDx, fromDy, index, keys, to, x, y } = params
  // each key may move the focus to another frame, and a drag by some pixels may end in one
  const isUnknown = /\S\s+\S/u.test(String(keys)) || [dx, dy, fromDx, fromDy].some(Boolean)
  if (isUnknown || tab.dialog !== undefined || tab.isCrashed) return [undefined]
  if (tool === "press") return [yield* innermost(tab, null)]
  if (tool === "clickAt") return [yield* innermost(tab, { x: Number(x), y: Number(y) })]
  const numbers = [index, from, to].map(Number)
  return tab.numbers
    .filter((range) => numbers.some((number) => number >= range.from && number < range.to))
    .map(({ frame }) => tab.frames.get(frame))
})

/** Finds the frames that actions may affect. */
export const make = ({ secrets, tabs }: Pick<Hands, "secrets" | "tabs">) => ({
  /** Returns the addresses of the frames that a call may affect, or of all frames if it isn't known which ones. */
  affected: (tool: string, params: object): Effect.Effect<ReadonlyArray<string>> =>
    Effect.suspend(() => {
      const tab = tabs.front()
      const all = Array.from(tab.frames.values())
      // without frames, the page isn't asked
      const asking = all.length < 2 ? Effect.succeed([]) : framesOf(tab, tool, { ...params })
      return Effect.map(
        Effect.orElseSucceed(Effect.timeout(asking, patience), () => [undefined]),
        (frames) =>
          frames
            .flatMap((frame) => (frame === undefined ? all : [frame, ...outerFrames(tab, frame)]))
            // a frame without an address of its own belongs to the frames around it
            .filter(({ parent, url }) => parent !== undefined && !/^about:(?:blank|srcdoc)/u.test(url))
            .map(({ url }) => secrets.redact(url))
      )
    })
})
