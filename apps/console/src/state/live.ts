import { Browser, consoleSocketPath, ModelCall, Run, RunStep, Session, type SocketRequest } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Atom from "effect/reactivity/Atom"
import * as Schema from "effect/Schema"
import { signInState } from "./client.ts"
import { connection, lostSince } from "./connection.ts"
import { putFeed, putGap } from "./feed.ts"
import { onPicture, pictureOf, picturesInView } from "./pictures.ts"
import { say } from "./notices.ts"
import { place } from "./place.ts"
import { registry } from "./react.ts"
import { keepRecent, newerOf } from "./recent.ts"

export { connection } from "./connection.ts"

/** A run by its id. Each row of a list reads its own atom, so an event renders one row. */
export const runRow = Atom.family((_id: string) => Atom.make<Run | undefined>(undefined))

/** A browser by its id, since the page was opened. */
export const browserRow = Atom.family((_id: string) => Atom.make<Browser | undefined>(undefined).pipe(Atom.keepAlive))

/** Id of the browser of the run in view, which has one before its first step. */
export const browserOfRun = Atom.family((_run: string) => Atom.make<string | null>(null))

/** The steps of a run by number, as events bring them. */
export const liveSteps = Atom.family((_run: string) =>
  Atom.make<ReadonlyMap<number, RunStep>>(new Map<number, RunStep>())
)

/** The model calls of a run by number, as events bring them. */
export const liveCalls = Atom.family((_run: string) =>
  Atom.make<ReadonlyMap<number, ModelCall>>(new Map<number, ModelCall>())
)

/** Most new runs that are counted. */
export const mostNewRuns = 1000

/** Ids of the runs that were created since the list was read, at most `mostNewRuns`. */
export const newRuns = Atom.make<ReadonlyArray<string>>([]).pipe(Atom.keepAlive)

/** Grows whenever everything has to be read again, because events are missing. */
export const epoch = Atom.make(0).pipe(Atom.keepAlive)

/** Grows with each event about a run or browser; lists of them that hold no rows read again. */
export const changes = Atom.make({ runs: 0, browsers: 0, sessions: 0, journal: 0 }).pipe(Atom.keepAlive)

/** Records whose changes are counted. */
export type Changing = "runs" | "browsers" | "sessions" | "journal"

/** Number of the newest row of a simulated service's journal; undefined before its first event. */
export const newestRow = Atom.make<number | undefined>(undefined).pipe(Atom.keepAlive)

/**
 * Ids of the records that a screen has read, and of new runs. Events about others are counted and not stored, because a
 * page that is open for a day gets events about every record of the server.
 */
const stored = new Set<string>()

/** New runs that no screen has read: each keeps its row until it's released. */
const unread = new Map<string, () => void>()

/** Creation of the newest run that this page knows, and of the newest one that the list can show. */
let newest = ""
let listed = ""

/** Begins to read the list of runs: those that are created from now on are new. */
export const beginList = (): void => {
  for (const [id, release] of unread) {
    stored.delete(id)
    release()
  }
  unread.clear()
  listed = newest
  registry.set(newRuns, [])
}

/** Stores the rows of a response, except those that events have already changed. */
export const putRuns = (runs: ReadonlyArray<Run>): void =>
  Atom.batch(() => {
    for (const response of runs) {
      const run = newerOf(response)
      if (unread.delete(run.id) || !stored.has(run.id)) {
        stored.add(run.id)
        registry.mount(runRow(run.id))
      }
      if (run.createdAt > newest) newest = run.createdAt
      registry.set(runRow(run.id), run)
    }
  })

/** Stores the rows of the list. None of them is new. */
export const putList = (runs: ReadonlyArray<Run>): void =>
  Atom.batch(() => {
    putRuns(runs)
    for (const { createdAt } of runs) if (createdAt > listed) listed = createdAt
    const ids = new Set(runs.map(({ id }) => id))
    registry.set(
      newRuns,
      registry.get(newRuns).filter((id) => !ids.has(id))
    )
  })

/** Stores the rows of a response. */
export const putBrowsers = (browsers: ReadonlyArray<Browser>): void =>
  Atom.batch(() => {
    for (const browser of browsers) {
      stored.add(browser.id)
      registry.set(browserRow(browser.id), browser)
    }
  })

const decoder = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownOption(schema)

const put = <A extends { readonly runId: string; readonly number: number }>(
  family: (run: string) => Atom.Writable<ReadonlyMap<number, A>>,
  row: A
) => {
  const atom = family(row.runId)
  registry.set(atom, new Map(registry.get(atom)).set(row.number, row))
}

const counted = (what: Changing) => {
  const counts = registry.get(changes)
  registry.set(changes, { ...counts, [what]: counts[what] + 1 })
}

/** Handlers by kind of event. Events of newer servers are ignored. */
const appliers: Readonly<Record<string, (data: unknown) => void>> = {
  run: apply(decoder(Run), (run) => {
    const ids = registry.get(newRuns)
    // until a list is read, a run is new if it's newer than all before
    const isNew = run.createdAt > (listed || newest) && !ids.includes(run.id)
    if (isNew && ids.length < mostNewRuns) {
      if (!stored.has(run.id)) {
        stored.add(run.id)
        unread.set(run.id, registry.mount(runRow(run.id)))
      }
      registry.set(newRuns, [...ids, run.id])
    }
    if (run.createdAt > newest) newest = run.createdAt
    keepRecent(run)
    if (stored.has(run.id)) registry.set(runRow(run.id), run)
    counted("runs")
  }),
  browser: apply(decoder(Browser), (browser) => {
    const { id, runId } = browser
    const isInView = runId !== null && runId === registry.get(runInView)
    if (isInView) registry.set(browserOfRun(runId), id)
    if (isInView || stored.has(id)) putBrowsers([browser])
    counted("browsers")
  }),
  session: apply(decoder(Session), () => counted("sessions")),
  step: apply(decoder(RunStep), (step) => put(liveSteps, step)),
  modelCall: apply(decoder(ModelCall), (call) => put(liveCalls, call)),
  journal: apply(decoder(Schema.Struct({ written: Schema.Int })), ({ written }) => {
    registry.set(newestRow, written)
    counted("journal")
  }),
  reset: () => registry.set(epoch, registry.get(epoch) + 1)
}

function apply<A>(decode: (data: unknown) => Option.Option<A>, set: (row: A) => void) {
  return (data: unknown) => {
    const row = decode(data)
    if (Option.isSome(row)) set(row.value)
  }
}

const LiveEvents = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ id: Schema.String, event: Schema.String, data: Schema.Unknown }))
)

type LiveEvents = typeof LiveEvents.Type

const decodeEvents = Schema.decodeUnknownOption(LiveEvents)

/** Applies events that arrived together, in one render. */
export const applyEvents = (events: LiveEvents): void =>
  Atom.batch(() => {
    for (const { data, event } of events) appliers[event]?.(data)
    putFeed(events)
  })

/** The run whose steps are sent: that of the screen, or that of the filter of events. */
const runInView = Atom.make((get) => {
  const { path: at, search } = get(place)
  if (at === "/events") return new URLSearchParams(search).get("run")
  return /^\/runs\/([^/]+)$/u.exec(at)?.[1] ?? null
})

/** Close code of a session that is over. */
const signedOutCode = 4401

/** Without a frame for this long, the connection is given up. */
const patience_ms = 40_000

/** Time that events are collected before they are applied. */
const together_ms = 100

/** Time after a new connection in which events count as caught up. */
const catchUp_ms = 1500

/** Time until the next attempt to connect. */
const pause_ms = (attempt: number) => Math.min(10_000, 250 * 2 ** attempt)

/** When the last message arrived. */
let heard_ms = Date.now()

/** The position of the newest event that was applied. */
let position: string | null = null

/** Connects once; the effect ends with the connection. */
const connected = (onOpen: (socket: WebSocket) => void) =>
  Effect.callback<void>((resume) => {
    const socket = new WebSocket(new URL(consoleSocketPath, location.href.replace(/^http/u, "ws")))
    socket.binaryType = "arraybuffer"
    let waiting: Array<LiveEvents[number]> = []
    let flush = 0
    let watchdog = 0
    let wasOpen = false
    const waitAgain = () => {
      window.clearTimeout(watchdog)
      watchdog = window.setTimeout(() => socket.close(), patience_ms)
    }
    const applyWaiting = () => {
      flush = 0
      const events = waiting
      waiting = []
      applyEvents(events)
      position = events.at(-1)?.id ?? position
    }
    socket.addEventListener("open", () => {
      wasOpen = true
      waitAgain()
      onOpen(socket)
    })
    socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
      heard_ms = Date.now()
      waitAgain()
      if (typeof data !== "string") return void onPicture(pictureOf(new Uint8Array(data)))
      const events = decodeEvents(data)
      if (Option.isNone(events)) return
      if (registry.get(connection) !== "live") {
        registry.set(lostSince, undefined)
        registry.set(connection, "live")
      }
      waiting = [...waiting, ...events.value]
      if (flush === 0) flush = window.setTimeout(applyWaiting, together_ms)
    })
    socket.addEventListener("close", ({ code }) => {
      // a page doesn't see that its WebSocket was refused with a 401, as after a restart of the server
      if (code === signedOutCode || !wasOpen) registry.refresh(signInState)
      resume(Effect.void)
    })
    waitAgain()
    return Effect.sync(() => {
      window.clearTimeout(watchdog)
      window.clearTimeout(flush)
      if (waiting.length > 0) applyWaiting()
      socket.close()
    })
  })

const events = (n: number): string => (n === 1 ? "1 event" : `${n} events`)

/** The one connection of a tab: it reconnects by itself, and catches up from its last event. Mounted by the shell. */
export const live = Atom.make((get) => {
  let socket: WebSocket | undefined
  let attempts = 0
  let lost_ms: number | undefined
  let timer = 0
  /** Says what a cut cost, once the events that were missed are there. */
  const catchUp = () => {
    if (lost_ms === undefined) return
    const gap = putGap(lost_ms)
    lost_ms = undefined
    window.clearTimeout(timer)
    timer = window.setTimeout(() => {
      const missed = gap()
      say(missed === 0 ? "Reconnected: no events were missed" : `Reconnected: caught up with ${events(missed)}`)
    }, catchUp_ms)
  }
  get.addFinalizer(() => window.clearTimeout(timer))
  const wanted = (): SocketRequest => ({
    after: position,
    run: registry.get(runInView),
    pictures: document.hidden ? [] : [...registry.get(picturesInView)].slice(0, 100)
  })
  const tell = () => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(wanted()))
  }
  get.subscribe(runInView, tell)
  get.subscribe(picturesInView, tell)
  document.addEventListener("visibilitychange", tell)
  get.addFinalizer(() => document.removeEventListener("visibilitychange", tell))
  return Effect.suspend(() =>
    connected((open) => {
      socket = open
      attempts = 0
      catchUp()
      tell()
    })
  ).pipe(
    Effect.andThen(
      Effect.suspend(() => {
        socket = undefined
        if (registry.get(connection) === "live") {
          lost_ms = Date.now()
          registry.set(lostSince, heard_ms)
        }
        registry.set(connection, "lost")
        return Effect.sleep(pause_ms(attempts++))
      })
    ),
    Effect.forever
  )
})
