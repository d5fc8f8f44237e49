import type { CdpClient, CdpError } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DomainPattern } from "./AllowedDomains.ts"
import type { Downloads, TaskFile } from "./Downloads.ts"
import { browserGone, type BrowserLost, Refused } from "./Failures.ts"
import * as Frame from "./Frame.ts"
import type { Point } from "./Mouse.ts"
import type { Secrets } from "./Secrets.ts"
import { gone, settle, unlessStopped } from "./Settle.ts"
import { mainFrame, outerFrames, type Tab } from "./Tab.ts"
import type { Tabs } from "./Tabs.ts"
import { verified } from "./Verification.ts"
import type { Press } from "./world/Guarding.ts"
import type { Kind } from "./world/Locating.ts"

/** The tools and state that actions share. */
export interface Hands {
  readonly tabs: Tabs
  readonly client: CdpClient
  readonly secrets: Secrets
  readonly domains: () => ReadonlyArray<DomainPattern> | null
  readonly downloads: Downloads
  readonly files: () => ReadonlyArray<TaskFile>
  /** The content of a file of the task, or null if it can't be read. */
  readonly content: (file: TaskFile) => Effect.Effect<Uint8Array | null>
  /** Remembers an address that the task may not open, and answers it as it may be told. */
  readonly refused: (url: string) => string
  readonly now: () => number
  /** Done before a secret is typed. */
  readonly conceal: Effect.Effect<void>
}

/** The longest that a file may take to be downloaded before an action that needs it fails. */
const download = "20 seconds"

/** The file of a task with a name, after a wait for the downloads that are running. */
export const fileNamed = ({ client, downloads, files }: Hands, name: string): Effect.Effect<TaskFile | undefined> => {
  const find = () => files().find((file) => file.name === name)
  return client
    .until(() => find() !== undefined || !downloads.isRunning())
    .pipe(Effect.timeoutOption(download), Effect.map(find))
}

/** Returns the effect of an action as a sentence, or fails with the reason why it wasn't done. */
export type Action = Effect.Effect<string, Refused | BrowserLost>

/** The longest that the browser may take for an action or a look. */
const patience = "30 seconds"

export const refuse = (message: string) => Effect.fail(new Refused({ message }))

/** An action fails with a sentence for the model, as long as there is a browser. */
export const told = <A>(
  hands: Pick<Hands, "secrets">,
  work: Effect.Effect<A, CdpError | Refused>
): Effect.Effect<A, Refused | BrowserLost> =>
  work.pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => refuse("The page has not responded for 30 seconds. Wait and look at it, or close its tab.")
    }),
    Effect.mapError((error) => {
      const message = hands.secrets.redact(error.message).toWellFormed()
      return error._tag === "CdpError" && error.reason === "closed" ? browserGone() : new Refused({ message })
    })
  )

/** Says what was done, without the values of secrets. */
export const sentence = (hands: Hands, work: Effect.Effect<string, CdpError | Refused>): Action =>
  Effect.map(told(hands, work), (text) => hands.secrets.redact(text).toWellFormed())

/** The outcome of an action, or a check of it that is made once the page has come to rest. */
type Outcome = string | Effect.Effect<string, CdpError | Refused>

/** The work of an action in a tab, as the body of `Effect.gen`. */
type Work = (tab: Tab) => Generator<Effect.Effect<unknown, CdpError | Refused>, Outcome, never>

const asksNow = "Done; the page asks something now."

/** An action on the page in front, until what it set off is over or the page asks. Refused where the task may not be. */
export const act = (hands: Hands, work: Work, whenAsked = asksNow): Action =>
  Effect.suspend(() => {
    const tab = hands.tabs.front()
    if (tab.isCrashed) return refuse(crashed)
    if (tab.mayLoad(tab.url) || isError(tab.url)) return go(hands, work, true, whenAsked)
    return refuse("This task may not use this document: navigate to another.")
  })

const crashed = "The page crashed: navigate to an address, or close its tab."

/** Returns whether an address is that of Chromium's error page, which stands for a document that didn't load. */
export const isError = (url: string) => url.startsWith("chrome-error:")

/** Waits for what work set off. Refused where a document did not load; says before why what was done, if that counts. */
export const settled = Effect.fnUntraced(function* (
  hands: Hands,
  work: Effect.Effect<Outcome, CdpError | Refused>,
  counts = true
): Effect.fn.Return<string, CdpError | Refused> {
  const { client, now, tabs } = hands
  const tab = tabs.front()
  const since = now()
  for (const each of tabs.all()) each.notLoaded = undefined
  const outcome = yield* work
  yield* settle(hands, since)
  const checked = typeof outcome === "string" ? Option.some(outcome) : yield* unlessStopped(client, tab, outcome)
  const done = checked?._tag === "Some" ? checked.value : yield* Effect.as(verified(false), asksNow)
  const why = tabs.front().notLoaded ?? tab.notLoaded
  return why === undefined ? done : yield* refuse(counts ? `${done} ${why}` : why)
})

/** Ends the guards of an action that fails or is interrupted, as by a dialog, because they would block another click. */
const unguarded = <A, E>(tab: Tab, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.onError(work, () =>
    Effect.sync(() => {
      for (const frame of tab.frames.values())
        for (const end of ["pressed", "dragged", "endKeys"] as const) Frame.post(frame, end)
    })
  )

/** An action that leads away from the page in front; refused while that asks something. */
export const go = (hands: Hands, work: Work, counts = true, whenAsked = asksNow): Action =>
  sentence(
    hands,
    Effect.gen(function* () {
      const tab = hands.tabs.front()
      if (tab.dialog !== undefined) return yield* refuse("The page asks something: answer it with `dialog` first.")
      tab.isCrashed = false
      const begun = Effect.gen(() => work(tab))
      const worked: Effect.Effect<Outcome, CdpError | Refused> = unlessStopped(
        hands.client,
        tab,
        unguarded(tab, begun)
      ).pipe(
        Effect.catchIf(
          (error) => error._tag === "CdpError" && error.reason === "detached",
          () => Effect.as(gone(hands.client, hands.tabs, tab), Option.some("Done; the page closed itself."))
        ),
        Effect.flatMap((done) =>
          done?._tag === "Some" ? Effect.succeed(done.value) : Effect.as(verified(false), whenAsked)
        )
      )
      const done = yield* settled(hands, worked, counts)
      return tab.isCrashed ? yield* refuse(crashed) : done
    })
  )

/** An element that was found: where it is, and what it takes. */
export interface Found extends Point {
  readonly tab: Tab
  readonly frame: Frame.Frame
  /** The point in the viewport of its frame. */
  readonly inFrame: Point
  readonly kind: Kind
  readonly isHealed: boolean
}

/** The frame that the number of an element belongs to. */
export const frameOf = (tab: Tab, index: number): Effect.Effect<Frame.Frame, Refused> => {
  const range = tab.numbers.find(({ from, to }) => index >= from && index < to)
  const frame = range === undefined ? undefined : tab.frames.get(range.frame)
  return frame === undefined || !tab.mayLoad(frame.url)
    ? refuse(`There is no element ${index}. Use the numbers of the newest page.`)
    : Effect.succeed(frame)
}

/** Maps points of a frame's viewport to that of its tab. */
export const outward = Effect.fnUntraced(function* (tab: Tab, frame: Frame.Frame, points: ReadonlyArray<Point>) {
  let mapped = points
  let inner = frame
  for (const outer of outerFrames(tab, frame)) {
    const outside = yield* Frame.call(outer, "outOfFrame", inner.id, mapped)
    if (outside === null) return yield* refuse("The frame of the element is not on the page any more.")
    mapped = outside
    inner = outer
  }
  return mapped
})

/** Ends the guards of a click, and returns its outcome. The outer documents block clicks that miss the frame. */
export const pressed = Effect.fnUntraced(function* (tab: Tab, frame: Frame.Frame) {
  const outcomeOf = (each: Frame.Frame) => Effect.orElseSucceed(Frame.call(each, "pressed"), (): Press => "left")
  const inner = yield* outcomeOf(frame)
  const outer = yield* Effect.forEach(outerFrames(tab, frame), outcomeOf)
  if (!outer.includes("missed")) return inner
  return inner === "none" ? "missed" : inner === "hit" ? "partly" : inner
})

/** Brings an element into sight. The next clicks that are guarded go to this element or nowhere. */
export const locate = Effect.fnUntraced(function* (
  tab: Tab,
  index: number,
  mustBeUncovered = true,
  guardedClicks = 0,
  how: "locate" | "locateShown" = "locate"
): Effect.fn.Return<Found, CdpError | Refused> {
  const frame = yield* frameOf(tab, index)
  for (let turn = 0; ; turn++) {
    const located = yield* Frame.call(frame, how, index, mustBeUncovered, guardedClicks)
    let reached = located
    let inner = frame
    for (const outer of outerFrames(tab, frame)) {
      if (!reached.ok) break
      reached = yield* Frame.call(outer, "through", inner.id, reached, index, mustBeUncovered, guardedClicks)
      inner = outer
    }
    if (located.ok && reached.ok) return { ...reached, tab, frame, inFrame: { x: located.x, y: located.y } }
    // a guard that no click follows would keep another one from the page
    if (located.ok && guardedClicks > 0) yield* pressed(tab, frame)
    if (!reached.ok && (turn === 1 || !reached.isCovered)) return yield* refuse(reached.why)
    // what covers it may be on its way out
    yield* Frame.call(located.ok ? mainFrame(tab) : frame, "settle", 50, 500)
  }
})

/**
 * Finds an element by its number and brings it into sight; refused when it is covered, unless that does not matter, or
 * when it isn't the element that the model saw any more.
 */
export const find = (tab: Tab, index: number, mustBeUncovered = true, guardedClicks = 0) =>
  locate(tab, index, mustBeUncovered, guardedClicks, "locateShown")
