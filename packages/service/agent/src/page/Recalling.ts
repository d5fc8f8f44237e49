import type { StepCall } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { call, type Frame } from "./Frame.ts"
import { frameOf, type Hands } from "./Hands.ts"
import type { ShownElement } from "./Look.ts"
import { mainFrame, type Tab, withSource } from "./Tab.ts"
import type { Remembered } from "./world/Recalling.ts"
import { words } from "./world/Words.ts"

/** An element of an earlier run that was found again, under a number of its own. */
export interface Recalled {
  readonly shown: ShownElement
  /** True if it isn't at its old place. */
  readonly isMoved: boolean
}

/** The address of a document without its query, which often changes from visit to visit. */
const addressOf = ({ url }: Pick<Frame, "url">): string => url.replace(/[?#].*$/su, "").slice(0, 300)

/** The origin of an address; of one without an origin, the address itself. */
export const originOf = (address: string): string => /^https?:\/\/[^/]+/u.exec(address)?.[0] ?? address

const { digest } = words()

/** Describes pages and elements for later runs, and finds the elements of earlier runs. */
export const make = ({ secrets, tabs }: Pick<Hands, "secrets" | "tabs">) => {
  const kept = (text: string) => secrets.redact(text).toWellFormed()

  /** The documents that may have an element: those at its address, or else those of its origin. */
  const framesFor = (tab: Tab, frame: string | null): ReadonlyArray<Frame> => {
    if (frame === null) return [mainFrame(tab)]
    const inner = Array.from(tab.frames.values()).filter(({ parent, url }) => parent !== undefined && tab.mayLoad(url))
    const same = inner.filter((one) => kept(addressOf(one)) === frame)
    return same.length > 0 ? same : inner.filter((one) => originOf(kept(addressOf(one))) === originOf(frame))
  }

  /** The element as it's stored: a long text is cut only after secrets are replaced. */
  const recordedOf = (tab: Tab, frame: Frame, { around, name, near, path, role }: Remembered) => ({
    role,
    path,
    name: kept(name),
    near: digest(kept(near)),
    around: digest(kept(around)),
    frame: frame.id === tab.target ? null : kept(addressOf(frame))
  })

  return {
    /** Describes the element with this number; null if there is none, or nothing distinguishes it from others. */
    remember: (index: number): Effect.Effect<StepCall.RecordedElement | null> =>
      Effect.gen(function* () {
        const tab = tabs.front()
        const frame = yield* frameOf(tab, index)
        const remembered = yield* call(frame, "remember", index)
        return remembered === null ? null : recordedOf(tab, frame, remembered)
      }).pipe(Effect.orElseSucceed(() => null)),
    /** Describes the element of the page that receives keys; null if there is none. */
    rememberFocused: Effect.gen(function* () {
      const tab = tabs.front()
      if (tab.dialog !== undefined || tab.isCrashed) return null
      const remembered = yield* call(mainFrame(tab), "rememberFocused")
      return remembered === null ? null : recordedOf(tab, mainFrame(tab), remembered)
    }).pipe(Effect.orElseSucceed((): StepCall.RecordedElement | null => null)),
    /** Describes the page; null if it doesn't respond. */
    rememberPage: Effect.gen(function* () {
      const tab = tabs.front()
      const frame = mainFrame(tab)
      const heading = tab.dialog === undefined ? yield* call(frame, "heading") : `dialog: ${tab.dialog.message}`
      return { address: kept(addressOf({ url: tab.url })), heading: digest(kept(heading)) }
    }).pipe(Effect.orElseSucceed((): StepCall.RecordedPage | null => null)),
    /** Finds an element of an earlier run; null if it isn't there, or if others are too much alike. */
    recall: ({ frame, name, near, path, role }: StepCall.RecordedElement): Effect.Effect<Recalled | null> =>
      Effect.gen(function* () {
        const tab = tabs.front()
        if (tab.dialog !== undefined || tab.isCrashed) return null
        const matches: Array<Recalled> = []
        for (const one of framesFor(tab, frame)) {
          const from = tab.counter.next
          const sought = { name, near, path, role }
          const recalled = yield* Effect.orElseSucceed(call(one, "recall", sought, from), () => null)
          if (recalled === null) continue
          const { isMoved, next, ...shown } = recalled
          if (next > from) tab.numbers.push({ from, to: next, frame: one.id })
          tab.counter.next = Math.max(next, tab.counter.next)
          matches.push({
            shown: withSource(tab, one, shown),
            isMoved: isMoved || (frame !== null && kept(addressOf(one)) !== frame)
          })
        }
        const [only, ...others] = matches
        return others.length > 0 ? null : (only ?? null)
      })
  }
}
