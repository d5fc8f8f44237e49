import {
  CannotError,
  HarnessApi,
  type LiveMessage,
  MissingError,
  RefusedError,
  SignedOutError,
  uiSocketPath
} from "@webagent/harness-api"
import { Listener, RequestValidation } from "@webagent/server"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { existsSync, readFileSync } from "node:fs"
import { extname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { makeWorld, type World, type WorldOptions } from "./World.ts"
import { liveRun, nameOf } from "./world/Facts.ts"
import { traceOf } from "./world/Traces.ts"
import { hostile } from "../server/World.ts"

/** A picture of a browser, in base64. */
const picture = readFileSync(new URL("../server/picture.jpg", import.meta.url)).toString("base64")

const dist = fileURLToPath(new URL("../../dist-harness/", import.meta.url))

/** The policy of the pages of `webagent-harness ui`. */
const policy = [
  "default-src 'none'",
  ...["script-src", "style-src", "font-src", "img-src", "connect-src"].map((source) => `${source} 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

const file = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
  const path = normalize(new URL(url, "http://x").pathname.replace(/^\/ui\/?/u, "/"))
  const name = join(dist, path === "/" ? "index.html" : path)
  if (!existsSync(name)) return HttpServerResponse.empty({ status: 404 })
  return HttpServerResponse.uint8Array(readFileSync(name), {
    contentType: types[extname(name)] ?? "application/octet-stream",
    headers: { "content-security-policy": policy, "x-content-type-options": "nosniff" }
  })
})

/** Settings of the server that a test can change. */
interface Behavior {
  /** True if changes are refused. */
  isReadOnly: boolean
  /** True if the page's session is of an earlier start. */
  isSignedOut: boolean
  /** True if no WebSocket is accepted. */
  isAway: boolean
}

const found = <A>(value: A | undefined, what: string) =>
  value === undefined ? Effect.fail(new MissingError({ detail: `There is no such ${what}.` })) : Effect.succeed(value)

const handlers = (world: World, behavior: Behavior, put: (messages: ReadonlyArray<LiveMessage>) => void) => {
  const changed = <A>(what: string, value: unknown, response: A) =>
    Effect.suspend(() => {
      if (behavior.isReadOnly) return Effect.fail(new CannotError({ detail: "The folder is read-only." }))
      world.changes.push({ what, value })
      return Effect.succeed(response)
    })
  const inSession = <A>(value: A) =>
    Effect.suspend(() =>
      behavior.isSignedOut
        ? Effect.fail(new SignedOutError({ detail: "This page has no session." }))
        : Effect.succeed(value)
    )
  return Layer.mergeAll(
    HttpApiBuilder.group(HarnessApi, "session", (group) =>
      group.handleAll({ open: () => Effect.sync(() => void (behavior.isSignedOut = false)) })
    ),
    HttpApiBuilder.group(HarnessApi, "project", (group) => group.handleAll({ get: () => inSession(world.project) })),
    HttpApiBuilder.group(HarnessApi, "suites", (group) =>
      group.handleAll({ list: () => Effect.succeed(world.suites) })
    ),
    HttpApiBuilder.group(HarnessApi, "runs", (group) =>
      group.handleAll({
        list: () => inSession({ rows: world.runs, next: null, total: world.runs.length }),
        get: ({ params: { run_id } }) => {
          const summary = world.runs.find(({ id }) => id === run_id)
          return run_id === world.run.id
            ? Effect.succeed(world.run)
            : found(summary && { ...summary, report: null, files: [], replays: [], reap: null }, "run")
        },
        trace: ({ params: { trace } }) => Effect.succeed(traceOf(trace)),
        file: () => Effect.succeed(Stream.make(new TextEncoder().encode("{}"))),
        start: ({ payload }) =>
          world.project.can.run
            ? changed("start", payload, world.live)
            : Effect.fail(new RefusedError({ detail: "Start it with --allow-run." })),
        stop: ({ params: { run_id } }) =>
          Effect.tap(changed("stop", run_id, world.live), () =>
            Effect.sync(() => put([{ _tag: "Changed", what: "runs", state: world.changes.length }]))
          )
      })
    ),
    HttpApiBuilder.group(HarnessApi, "nights", (group) =>
      group.handleAll({
        map: () => Effect.succeed(world.map),
        get: ({ params: { night_id } }) => found(world.night(night_id), "night"),
        compare: ({ params: { before, night_id } }) => found(world.compare(night_id, before), "night"),
        figures: ({ query: { figure } }) => Effect.succeed(world.figures(figure)),
        trend: ({ query: { name, suite } }) => Effect.succeed(world.trend(name, suite)),
        accept: ({ params: { night_id }, payload }) => changed("accept", { night_id, ...payload }, undefined),
        acknowledge: ({ params: { night_id }, payload }) =>
          Effect.tap(changed("acknowledge", { night_id, ...payload }, undefined), () =>
            Effect.sync(() => world.acknowledge(night_id, payload))
          ),
        quarantine: ({ payload }) => {
          const entry = { ...payload, since: "2026-11-27" }
          return Effect.tap(changed("quarantine", payload, entry), () => Effect.sync(() => world.hold(entry)))
        },
        release: ({ payload }) => changed("release", payload, undefined)
      })
    ),
    HttpApiBuilder.group(HarnessApi, "load", (group) =>
      group.handleAll({
        list: () => Effect.succeed(world.loads.summaries),
        get: ({ params: { run_id } }) => found(world.loads.detailOf(run_id), "load test"),
        compare: ({ params: { before, run_id } }) => found(world.loads.compare(run_id, before), "load test"),
        comparisons: () => Effect.succeed(world.loads.comparisons),
        comparison: ({ params: { run_id } }) =>
          found(run_id === "ab-1" ? world.loads.services : undefined, "comparison")
      })
    )
  )
}

/** Sends messages as the real socket does. */
const socket = (
  queues: Set<Queue.Queue<ReadonlyArray<LiveMessage>>>,
  cuts: Set<() => void>,
  sent: ReadonlyArray<LiveMessage>,
  behavior: Behavior
) =>
  Effect.gen(function* () {
    if (behavior.isSignedOut) return HttpServerResponse.empty({ status: 401 })
    if (behavior.isAway) return HttpServerResponse.empty({ status: 503 })
    const request = yield* HttpServerRequest.HttpServerRequest
    const opened = yield* Effect.orDie(request.upgrade)
    const { pull } = yield* opened.reader
    const { write } = yield* opened.writer
    const [first] = yield* pull
    const { after, run } = JSON.parse(String(first)) as { readonly run: string | null; readonly after: number }
    const queue = yield* Queue.unbounded<ReadonlyArray<LiveMessage>>()
    queues.add(queue)
    // requests and pictures have no position: a page gets those of running trials again
    const missed = run === liveRun ? sent.filter((message) => !("position" in message) || message.position > after) : []
    yield* write(JSON.stringify([...missed, { _tag: "Ping" }]))
    const cut = Effect.callback<void>((resume) => {
      const end = () => resume(Effect.void)
      cuts.add(end)
      return Effect.sync(() => cuts.delete(end))
    })
    yield* Effect.raceAllFirst([
      Effect.forever(Effect.flatMap(Queue.take(queue), (messages) => write(JSON.stringify(messages)))),
      Effect.forever(pull),
      cut
    ]).pipe(Effect.ignore, Effect.ensuring(Effect.sync(() => queues.delete(queue))))
    return HttpServerResponse.empty()
  }).pipe(Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 400 }))))

/** Serves the screens over a made-up project until the scope closes. */
export const serve = Effect.fnUntraced(function* ({
  port = 0,
  ...options
}: WorldOptions & { readonly port?: number } = {}) {
  const world = makeWorld(options)
  const behavior: Behavior = { isAway: false, isReadOnly: false, isSignedOut: false }
  const queues = new Set<Queue.Queue<ReadonlyArray<LiveMessage>>>()
  const cuts = new Set<() => void>()
  const sent: Array<LiveMessage> = []
  const put = (messages: ReadonlyArray<LiveMessage>) => {
    sent.push(...messages)
    for (const queue of queues) Queue.offerUnsafe(queue, messages)
  }
  const routes = Layer.mergeAll(
    HttpApiBuilder.layer(HarnessApi).pipe(
      Layer.provide(handlers(world, behavior, put)),
      Layer.provide(RequestValidation.layer)
    ),
    HttpRouter.add("GET", uiSocketPath, socket(queues, cuts, sent, behavior)),
    HttpRouter.add("GET", "/ui/*", file)
  )
  const served = HttpRouter.serve(routes, { disableLogger: true }).pipe(
    Layer.provideMerge(Listener.layer({ host: "127.0.0.1", port }))
  )
  const context = yield* Layer.build(served)
  const address = HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address)
  let position = 0
  let exchanges = 0
  /** Sends an event of the run that runs. */
  const event = (of: (LiveMessage & { readonly _tag: "Event" })["event"]) =>
    put([{ _tag: "Event", run: liveRun, position: ++position, at: new Date().toISOString(), event: of }])
  return {
    address,
    world,
    behavior,
    event,
    /** Starts a trial of a scenario, and sends a request of it that has ended, and one that is in flight. */
    startTrial: (n: number, index: number) => {
      const { name, suite } = nameOf(n)
      event({ _tag: "TrialStarted", suite, scenario: name, index })
      const exchange = {
        title: scenarioTitle({ suite, name }),
        index,
        method: "GET",
        path: "/v4/runs/7f0c/status",
        failure: null
      }
      put([
        {
          _tag: "Exchange",
          run: liveRun,
          exchange: { ...exchange, id: ++exchanges, at_ms: Date.now(), duration_ms: 31, status: 200 }
        },
        {
          _tag: "Exchange",
          run: liveRun,
          exchange: {
            ...exchange,
            id: ++exchanges,
            path: "/v4/runs/7f0c/result",
            at_ms: Date.now() + 40,
            duration_ms: null,
            status: null
          }
        }
      ])
    },
    /** Shows a step of the agent in a running trial, and what its browser showed. */
    step: (n: number, index: number, number: number) => {
      const { name, suite } = nameOf(n)
      const runId = "7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1"
      const summary = number === 2 ? hostile[0] : `Opens page ${number}`
      event({
        _tag: "StepsSeen",
        suite,
        scenario: name,
        index,
        agent: {
          runId,
          liveUrl: "https://agents.example.com/live/7f0c11aa",
          recordingUrl: null,
          count: number,
          steps: [
            {
              number,
              beganAt: new Date().toISOString(),
              address: "https://shop.example.com/",
              summary,
              outcome: null,
              failure: null,
              durationMs: null
            }
          ]
        }
      })
      put([
        {
          _tag: "Picture",
          run: liveRun,
          suite,
          scenario: name,
          index,
          picture: { runId, number, summary, jpeg: picture }
        }
      ])
    },
    /** Ends a trial. */
    finishTrial: (n: number, index: number) => {
      const { name, suite } = nameOf(n)
      const trial = world.run.report?.results[n]?.trials[index]
      if (trial !== undefined) event({ _tag: "TrialFinished", suite, scenario: name, trial })
    },
    finish: () => put([{ _tag: "Finished", run: liveRun, position: ++position }]),
    /** Ends every WebSocket, as a restart does. */
    cut: () => {
      for (const one of cuts) one()
    }
  }
})
