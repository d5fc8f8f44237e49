import type { CdpClient, CdpError } from "@webagent/cdp"
import { type Browser, BrowserStopped, type LiveView, LiveViews, Recordings } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcRef from "effect/RcRef"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as BrowserCast from "../cast/BrowserCast.ts"
import * as RecordingFolder from "../recording/RecordingFolder.ts"

export type { RecordingOptions } from "../recording/RecordingFolder.ts"

/** Pause before a recording that lost its connection connects again. */
const reconnect = Schedule.spaced("500 millis")

/** Browsers that can be seen and recorded. */
export class LiveBrowsers extends Context.Service<
  LiveBrowsers,
  {
    /**
     * Shows a browser, and records it when it is to be recorded, until the scope closes: before its process is ended.
     * It connects to the browser only while it is viewed or recorded.
     * `used` is told of a person who does something in it, as a client of it would.
     */
    readonly add: (
      browser: Browser.Browser,
      connect: Effect.Effect<CdpClient, CdpError, Scope.Scope>,
      used?: () => void
    ) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@webagent/chromium/LiveBrowsers") {
  /** The browsers, with the engine's ports to their views and recordings. */
  static readonly layer = (options: RecordingFolder.RecordingOptions = {}) => Layer.effectContext(make(options))
}

/** A browser that can be seen. */
interface Seen {
  readonly cast: RcRef.RcRef<LiveView, CdpError>
  isConcealed: boolean
  /** Adds a picture to its recording. */
  show: (jpeg: Uint8Array) => Effect.Effect<void>
}

const make = Effect.fnUntraced(function* (options: RecordingFolder.RecordingOptions) {
  const recordings = yield* RecordingFolder.make(options)
  const browsers = new Map<string, Seen>()

  const record = Effect.fnUntraced(function* (id: string, seen: Seen) {
    const spool = yield* recordings.record(id)
    seen.show = spool.show
    let last: Uint8Array | undefined
    const pictures = Effect.scoped(
      Effect.flatMap(RcRef.get(seen.cast), ({ views }) =>
        Stream.runForEach(views, ({ picture }) => {
          if (picture === null || picture.jpeg === last || seen.isConcealed) return Effect.void
          last = picture.jpeg
          return spool.show(picture.jpeg)
        })
      )
    )
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(pictures), reconnect))
  })

  const add = Effect.fnUntraced(function* (
    { id, recording }: Browser.Browser,
    connect: Effect.Effect<CdpClient, CdpError, Scope.Scope>,
    used: () => void = () => undefined
  ) {
    const shown = Effect.map(Effect.flatMap(connect, BrowserCast.make), ({ input, views }): LiveView => ({
      views,
      input: (what) => Effect.andThen(Effect.sync(used), input(what)),
      isConcealed: () => seen.isConcealed
    }))
    const seen: Seen = { cast: yield* RcRef.make({ acquire: shown }), isConcealed: false, show: () => Effect.void }
    yield* Effect.acquireRelease(
      Effect.sync(() => browsers.set(id, seen)),
      () => Effect.sync(() => browsers.delete(id))
    )
    if (recording) yield* record(id, seen)
  })

  return Context.make(LiveBrowsers, { add }).pipe(
    Context.add(LiveViews, {
      has: (id) => browsers.has(id),
      conceal: (id) =>
        Effect.sync(() => {
          const seen = browsers.get(id)
          if (seen !== undefined) seen.isConcealed = true
        }),
      open: (id) =>
        Effect.suspend(() => {
          const seen = browsers.get(id)
          const gone = new BrowserStopped({ id })
          return seen === undefined ? Effect.fail(gone) : Effect.mapError(RcRef.get(seen.cast), () => gone)
        })
    }),
    Context.add(Recordings, {
      ...recordings,
      keep: (id, name, jpeg) => {
        const seen = browsers.get(id)
        const kept = recordings.keep(id, name, jpeg)
        return seen?.isConcealed === true ? Effect.andThen(seen.show(jpeg), kept) : kept
      }
    })
  )
})
