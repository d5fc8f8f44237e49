import { type BrowserFilters, type Control as ControlView, NotFoundError } from "@webagent/admin"
import { ConflictError, fromMillis } from "@webagent/contract"
import { type Browser, type Control, Engine, LiveViews } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { cdpPath } from "../../api/v4/Conversion.ts"
import * as Audit from "../../api/Audit.ts"
import { Caller } from "../../api/Caller.ts"
import * as Links from "../../api/Links.ts"
import { type BrowserWork, browserOf } from "./Conversion.ts"
import { group } from "./Operations.ts"
import * as Pages from "./Pages.ts"

/** Number of browsers that are stopped, or whose sessions are read, at the same time. */
const atOnce = 16

/** Time that a read waits for the first view of a browser. */
const viewWithin = "1 second"

/** Default duration of control. */
const controlSeconds = 60

const noBrowser = () => Effect.fail(new NotFoundError({ detail: "Browser not found" }))

type Outcome = "stopped" | "already" | "notFound"

const filterOf = (filters: BrowserFilters) =>
  Effect.map(Pages.createdBetween(filters), (created) => ({
    ...created,
    ...(filters.status === undefined ? {} : { statuses: [filters.status] }),
    ...(filters.key === undefined ? {} : { owner: filters.key }),
    ...(filters.node === undefined ? {} : { node: filters.node })
  }))

/** Returns the current work of an agent in a browser. */
export const makeWorkOf = (engine: Engine["Service"]) => (browser: Browser.Browser) => {
  const { id, sessionId, status } = browser
  if (sessionId === null) return Effect.succeed(undefined)
  const idle: BrowserWork = { sessionId, turnId: null, task: null }
  if (status === "stopped") return Effect.succeed(idle)
  return engine.session(sessionId).pipe(
    Effect.map(({ session: { browserId, lease }, turns }) =>
      browserId === id && lease !== null
        ? { sessionId, turnId: lease.turnId, task: turns.find((turn) => turn.id === lease.turnId)?.task ?? null }
        : idle
    ),
    Effect.catchTag("SessionNotFound", () => Effect.succeed(idle))
  )
}

/** The tab in front of a browser that this node shows; null for one whose pictures are concealed. */
const makeTabOf = (views: typeof LiveViews.Service) => (id: string) =>
  views?.has(id) !== true
    ? Effect.succeed(null)
    : views.open(id).pipe(
        Effect.flatMap((view) =>
          view.isConcealed()
            ? Effect.succeed(null)
            : Effect.map(Stream.runHead(view.views), (first) => Option.getOrNull(first)?.tab ?? null)
        ),
        Effect.scoped,
        Effect.timeout(viewWithin),
        Effect.orElseSucceed(() => null)
      )

/** Stops browsers by their ids. */
const makeStop = (engine: Engine["Service"]) => {
  const stop = (id: string) =>
    Effect.gen(function* () {
      const { status } = yield* engine.browser(id)
      yield* engine.stopBrowser(id)
      return status === "stopped" ? "already" : "stopped"
    }).pipe(Effect.catchTag("BrowserNotFound", () => Effect.succeed<Outcome>("notFound")))
  return Effect.fnUntraced(function* (sent: ReadonlyArray<string>) {
    const ids = [...new Set(sent)]
    const outcomes = yield* Effect.forEach(ids, (id) => stop(id.toLowerCase()), { concurrency: atOnce })
    const those = (outcome: Outcome) => ids.filter((_, index) => outcomes[index] === outcome)
    return { stopped: those("stopped"), already: those("already"), notFound: those("notFound") }
  })
}

const controlView = (browserId: string, control: Control | null): ControlView => ({
  browserId,
  driver: control?.driver ?? null,
  until: control === null ? null : fromMillis(control.until_ms)
})

const unseen =
  "This server's browsers are simulated, so there is nothing to take over. Start it with --browsers chromium"

const stopped = () => Effect.fail(new ConflictError({ detail: "The browser is stopped" }))

const taken = ({ control }: { readonly control: Control }) =>
  Effect.fail(new ConflictError({ detail: `${control.driver} has control until ${fromMillis(control.until_ms)}` }))

/** Browsers of every key, or of the request's key. */
export const layer = group("browsers", function* (handlers) {
  const engine = yield* Engine
  const linksOf = yield* Links.make
  const workOf = makeWorkOf(engine)
  const tabOf = makeTabOf(yield* LiveViews)
  const stop = makeStop(engine)
  const find = (id: string) => Effect.catchTag(engine.browser(id.toLowerCase()), "BrowserNotFound", noBrowser)

  return handlers
    .handle("list", ({ query: { cursor, limit, ...filters } }) =>
      Effect.gen(function* () {
        const filter = yield* filterOf(filters)
        const page = yield* Pages.read(
          { list: "admin.browsers", filter, cursor, limit },
          (after, rows) => engine.lists.browsers(filter, after, rows),
          (browser) => browser
        )
        const show = (browser: Browser.Browser) => Effect.map(workOf(browser), (work) => browserOf(browser, work))
        return { ...page, rows: yield* Effect.forEach(page.rows, show, { concurrency: atOnce }) }
      })
    )
    .handle("get", ({ params }) =>
      Effect.gen(function* () {
        const browser = yield* find(params.browser_id)
        const tab = browser.status === "active" ? yield* tabOf(browser.id) : null
        return browserOf(browser, yield* workOf(browser), tab)
      })
    )
    .handle("links", ({ params, request }) =>
      Effect.gen(function* () {
        const { id, recording, status } = yield* find(params.browser_id)
        const links = yield* linksOf(request, id)
        const running = status === "active" ? id : null
        return {
          liveUrl: links.live(running),
          controlUrl: links.control(running),
          cdpUrl: running === null ? null : links.to(cdpPath(id)).replace(/^http/u, "ws"),
          recordingUrl: recording && status === "stopped" ? links.recording(id) : null
        }
      })
    )
    .handle("control", ({ params }) =>
      Effect.gen(function* () {
        const { id } = yield* find(params.browser_id)
        return controlView(id, yield* engine.controlOf(id))
      })
    )
    .handle("takeControl", ({ params, payload, request }) =>
      Effect.gen(function* () {
        const { id, status } = yield* find(params.browser_id)
        if (status === "stopped") return yield* stopped()
        const links = yield* linksOf(request, id)
        if (!links.showsBrowsers) return yield* new ConflictError({ detail: unseen })
        const { name } = yield* Caller
        const control = yield* engine.takeControl(id, name, (payload.seconds ?? controlSeconds) * 1000)
        return { ...controlView(id, control), url: links.driver(id, control.id) }
      }).pipe(Effect.catchTags({ BrowserStopped: stopped, ControlTaken: taken }))
    )
    .handle("releaseControl", ({ params }) =>
      Effect.gen(function* () {
        const { id } = yield* find(params.browser_id)
        const { isAdmin, name } = yield* Caller
        // an operator can always give the browser back to its agent
        yield* engine.releaseControl(id, isAdmin ? undefined : name)
      }).pipe(Effect.catchTag("ControlTaken", taken))
    )
    .handleAll({ stop: ({ payload }) => Effect.andThen(Audit.note(payload.ids), stop(payload.ids)) })
})
