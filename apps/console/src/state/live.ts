import {
  Browser,
  consoleSocketPath,
  Control,
  ModelCall,
  Run,
  RunStep,
  Session,
  type SocketRequest
} from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Atom from "effect/reactivity/Atom"
import * as Schema from "effect/Schema"
import { signInState } from "./client.ts"
import { onPicture, pictureOf, picturesInView } from "./pictures.ts"
import { path } from "./place.ts"
import { registry } from "./react.ts"

/** State of the connection that brings events. */
export type Connection = "connecting" | "live" | "lost"

/** State of the connection that brings events. */
export const connection: Atom.Writable<Connection> = Atom.make<Connection>("connecting").pipe(Atom.keepAlive)

/** A run by its id. Each row of a list reads its own atom, so an event renders one row. */
export const runRow = Atom.family((_id: string) => Atom.make<Run | undefined>(undefined).pipe(Atom.keepAlive))

/** A browser by its id, since the page was opened. */
export const browserRow = Atom.family((_id: string) => Atom.make<Browser | undefined>(undefined).pipe(Atom.keepAlive))

/** Who drives a browser. */
export const controlOf = Atom.family((_id: string) => Atom.make<Control | undefined>(undefined).pipe(Atom.keepAlive))

/** The steps of a run by number, as events bring them. */
export const liveSteps = Atom.family((_run: string) =>
  Atom.make<ReadonlyMap<number, RunStep>>(new Map<number, RunStep>())
)

/** The model calls of a run by number, as events bring them. */
export const liveCalls = Atom.family((_run: string) =>
  Atom.make<ReadonlyMap<number, ModelCall>>(new Map<number, ModelCall>())
)

/** Ids of the runs that were created since the list was read. */
export const newRuns = Atom.make<ReadonlyArray<string>>([]).pipe(Atom.keepAlive)

/** Grows whenever everything has to be read again, because events are missing. */
export const epoch = Atom.make(0).pipe(Atom.keepAlive)

/** Grows with each event about a run or browser; lists of them that hold no rows read again. */
export const changes = Atom.make({ runs: 0, browsers: 0, sessions: 0 }).pipe(Atom.keepAlive)

/** Stores the rows of a response. */
export const putRuns = (runs: ReadonlyArray<Run>): void =>
  Atom.batch(() => {
    for (const run of runs) registry.set(runRow(run.id), run)
  })

/** Stores the rows of a response. */
export const putBrowsers = (browsers: ReadonlyArray<Browser>): void =>
  Atom.batch(() => {
    for (const browser of browsers) registry.set(browserRow(browser.id), browser)
  })

const decoder = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownOption(schema)

const put = <A extends { readonly runId: string; readonly number: number }>(
  family: (run: string) => Atom.Writable<ReadonlyMap<number, A>>,
  row: A
) => {
  const atom = family(row.runId)
  registry.set(atom, new Map(registry.get(atom)).set(row.number, row))
}

const counted = (what: "runs" | "browsers" | "sessions") => {
  const counts = registry.get(changes)
  registry.set(changes, { ...counts, [what]: counts[what] + 1 })
}

/** Handlers by kind of event. Events of newer servers are ignored. */
const appliers: Readonly<Record<string, (data: unknown) => void>> = {
  run: apply(decoder(Run), (run) => {
    const atom = runRow(run.id)
    if (registry.get(atom) === undefined && run.finishedAt === null) {
      const ids = registry.get(newRuns)
      if (!ids.includes(run.id)) registry.set(newRuns, [...ids, run.id])
    }
    registry.set(atom, run)
    counted("runs")
  }),
  browser: apply(decoder(Browser), (browser) => {
    registry.set(browserRow(browser.id), browser)
    counted("browsers")
  }),
  session: apply(decoder(Session), () => counted("sessions")),
  step: apply(decoder(RunStep), (step) => put(liveSteps, step)),
  modelCall: apply(decoder(ModelCall), (call) => put(liveCalls, call)),
  control: apply(decoder(Control), (control) => registry.set(controlOf(control.browserId), control)),
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
  })

const runInView = Atom.make((get) => /^\/runs\/([^/]+)$/u.exec(get(path))?.[1] ?? null)

/** Close code of a session that is over. */
const signedOutCode = 4401

/** Without a frame for this long, the connection is given up. */
const patience_ms = 40_000

/** Time that events are collected before they are applied. */
const together_ms = 100

/** Time until the next attempt to connect. */
const pause_ms = (attempt: number) => Math.min(10_000, 250 * 2 ** attempt)

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
      waitAgain()
      if (typeof data !== "string") return void onPicture(pictureOf(new Uint8Array(data)))
      const events = decodeEvents(data)
      if (Option.isNone(events)) return
      if (registry.get(connection) !== "live") registry.set(connection, "live")
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

/** The one connection of a tab: it reconnects by itself, and catches up from its last event. Mounted by the shell. */
export const live = Atom.make((get) => {
  let socket: WebSocket | undefined
  let attempts = 0
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
      tell()
    })
  ).pipe(
    Effect.andThen(
      Effect.suspend(() => {
        socket = undefined
        registry.set(connection, "lost")
        return Effect.sleep(pause_ms(attempts++))
      })
    ),
    Effect.forever
  )
})
