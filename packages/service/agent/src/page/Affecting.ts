import * as Effect from "effect/Effect"
import { call, type Frame } from "./Frame.ts"
import type { Hands } from "./Hands.ts"
import type { Point } from "./Mouse.ts"
import { mainFrame, outerFrames, sourceOf, type Tab } from "./Tab.ts"
import type { Named } from "./world/Holding.ts"

/** Limits how long a page may take to find the frame of an action. */
const patience = "2 seconds"

/** Something in a frame that a call names. */
interface Place {
  readonly frame: Frame
  readonly what: Named
}

/** The frames and elements that a call affects now. */
export interface Affected {
  /** The addresses of the frames that the call may affect, or of all frames if it isn't known which ones. */
  readonly frames: ReadonlyArray<string>
  /** Describes what the call would have affected then, if it would affect something else now. */
  readonly before: Effect.Effect<string | undefined>
}

/** Returns whether the ends of a drag are points that many pixels from its elements. */
export const isByPixels = (params: object): { readonly from: boolean; readonly to: boolean } => {
  const { dx, dy, fromDx, fromDy } = params as Readonly<Record<string, unknown>>
  return { from: Boolean(fromDx) || Boolean(fromDy), to: Boolean(dx) || Boolean(dy) }
}

/** Returns the innermost place at a point, or without a point where keys go; undefined if its frame isn't known. */
const innermostPlace = Effect.fnUntraced(function* (tab: Tab, point: Point | null) {
  let frame: Frame | undefined = mainFrame(tab)
  for (let what = point; frame !== undefined;) {
    const inner = yield* call(frame, "frameFor", what)
    if (inner === null) return { frame, what } satisfies Place
    what = inner.point
    frame = tab.frames.get(inner.id ?? "")
  }
  return frame
})

/** Returns the innermost frame at a point, or without a point the one that receives keys; undefined if it isn't known. */
export const innermost = (tab: Tab, point: Point | null) =>
  Effect.map(innermostPlace(tab, point), (place) => place?.frame)

/** Returns what a call affects in a tab, each undefined if it isn't known. */
const placesOf = Effect.fnUntraced(function* (tab: Tab, tool: string, params: Readonly<Record<string, unknown>>) {
  if (tab.dialog !== undefined || tab.isCrashed) return []
  if (tool === "press") return [yield* innermostPlace(tab, null)]
  if (tool === "clickAt") return [yield* innermostPlace(tab, { x: Number(params["x"]), y: Number(params["y"]) })]
  const numbers = [params["index"], params["from"], params["to"]].filter((one) => typeof one === "number")
  return numbers.flatMap((what) =>
    tab.numbers
      .filter(({ from, to }) => what >= from && what < to)
      .map((range): Place | undefined => {
        const frame = tab.frames.get(range.frame)
        return frame === undefined ? undefined : { frame, what }
      })
  )
})

/** Makes the check of what calls affect, for rules and approvals. */
export const make = ({ secrets, tabs }: Pick<Hands, "secrets" | "tabs">) => {
  const framesOf = (tab: Tab, places: ReadonlyArray<Place | undefined>, tool: string, params: object) => {
    const { from, to } = isByPixels(params)
    const { keys } = params as Readonly<Record<string, unknown>>
    // each key may move the focus to another frame, and a drag by some pixels may end in one
    const isUnknown = places.length === 0 || /\S\s+\S/u.test(String(keys)) || from || to || places.includes(undefined)
    const frames = isUnknown ? Array.from(tab.frames.values()) : places.flatMap((place) => place?.frame ?? [])
    const sources = new Set(
      frames.flatMap((frame) => [frame, ...outerFrames(tab, frame)]).map((one) => sourceOf(tab, one))
    )
    sources.delete(mainFrame(tab))
    return Array.from(sources, ({ url }) => secrets.redact(url))
  }

  return {
    /** Finds out what a call affects. */
    affected: (tool: string, params: object): Effect.Effect<Affected> =>
      Effect.gen(function* () {
        const tab = tabs.front()
        const { dialog } = tab
        const find = placesOf(tab, tool, { ...params })
        const timely = <A, E>(work: Effect.Effect<A, E>) => Effect.option(Effect.timeout(work, patience))
        const held = yield* timely(
          Effect.tap(find, (places) =>
            Effect.forEach(places, (place) =>
              place === undefined ? Effect.void : call(place.frame, "hold", place.what)
            )
          )
        )
        const places = held._tag === "Some" ? held.value : [undefined]
        const change = Effect.gen(function* () {
          if (held._tag === "None") return "a page that didn't respond"
          if (tabs.front() !== tab) return "the tab that was in front"
          if (tab.dialog !== dialog)
            return dialog === undefined ? "the page before it asked something" : "another question"
          const now = yield* find
          for (const [at, place] of places.entries()) {
            if (place === undefined) continue
            if (now[at]?.frame !== place.frame) return "another frame"
            const before = yield* call(place.frame, "heldBefore", place.what, now[at].what)
            if (before !== null) return before
          }
          return undefined
        })
        return {
          frames: framesOf(tab, places, tool, params),
          before: Effect.map(timely(change), (before) =>
            before._tag === "Some" ? before.value : "a page that responded"
          )
        }
      })
  }
}
