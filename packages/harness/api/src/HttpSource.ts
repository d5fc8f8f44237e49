import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import { mapRequest } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { HarnessApi } from "./Api.ts"
import type { LiveMessage, LiveRequest } from "./Live.ts"
import type { Source, SourceError } from "./Source.ts"
import { runFilePath, tokenHeader, uiSocketPath } from "./Wire.ts"

/** Address of a running `webagent-harness ui`. */
export interface HttpSourceOptions {
  /** Such as `http://127.0.0.1:4500`; a page uses its own origin. */
  readonly address: string
  /** The token of the printed address. A page has a cookie instead. */
  readonly token?: string
  /** Called when the WebSocket is open, and when it is lost. */
  readonly onConnection?: (state: "live" | "lost") => void
}

const unreachable: SourceError = {
  _tag: "Unreachable",
  detail: "webagent-harness ui isn't responding. Start it again in the project, and open the address that it prints."
}

/** One sentence for the issues of a request that doesn't fit its operation. */
const sentenceOf = (detail: unknown): string | undefined => {
  if (typeof detail === "string") return detail
  if (!Array.isArray(detail)) return undefined
  const issues = detail as ReadonlyArray<{ readonly loc: ReadonlyArray<unknown>; readonly msg: string }>
  return issues.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ")
}

/** An error of the client or of the contract, as screens show it. */
const errorOf = (error: object): SourceError => {
  const detail = "detail" in error ? sentenceOf(error.detail) : undefined
  if (detail !== undefined && "_tag" in error) return { _tag: String(error._tag), detail }
  return unreachable
}

/** Time without a message after which a connection is given up. */
const silence = "40 seconds"

/** Doubles from 250 ms to 5 s. */
const pauses = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("5 seconds")])

/** A page whose session is over can't connect again. */
const retries = pauses.pipe(
  Schedule.setInputType<SourceError>(),
  Schedule.while(({ input }) => input._tag !== "SignedOutError")
)

/** Messages of one connection; it fails when the connection is lost. */
const connection = (
  url: string,
  request: () => LiveRequest,
  onConnection: NonNullable<HttpSourceOptions["onConnection"]>
): Stream.Stream<LiveMessage, SourceError> =>
  Stream.callback<LiveMessage, SourceError>((queue) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const socket = new WebSocket(url)
        const lost = () => onConnection("lost")
        socket.addEventListener("open", () => {
          socket.send(JSON.stringify(request()))
          onConnection("live")
        })
        socket.addEventListener("close", lost)
        socket.addEventListener("message", ({ data }) => {
          // the command that served this page sends it
          Queue.offerAllUnsafe(queue, JSON.parse(String(data)) as ReadonlyArray<LiveMessage>)
        })
        socket.addEventListener("close", () => void Effect.runFork(Queue.fail(queue, unreachable)))
        return { socket, lost }
      }),
      ({ lost, socket }) =>
        Effect.sync(() => {
          socket.removeEventListener("close", lost)
          socket.close()
        })
    )
  ).pipe(Stream.timeoutOrElse({ duration: silence, orElse: () => Stream.fail(unreachable) }))

const follow = (
  url: string,
  request: LiveRequest,
  onConnection: NonNullable<HttpSourceOptions["onConnection"]>,
  session: Effect.Effect<unknown, SourceError>
): Stream.Stream<LiveMessage, SourceError> =>
  Stream.suspend(() => {
    let { after } = request
    return connection(url, () => ({ ...request, after }), onConnection).pipe(
      Stream.tap((message) =>
        Effect.sync(() => {
          if ("position" in message) after = message.position
        })
      ),
      // a browser doesn't say why a connection was refused, but a request gets the reason
      Stream.catch((lost) => Stream.fromEffect(Effect.andThen(session, Effect.fail(lost)))),
      Stream.retry(retries)
    )
  })

/** Opens the session of a page with the token of the printed address. */
export const openSession = Effect.fnUntraced(function* (address: string, token: string) {
  const client = yield* HttpApiClient.make(HarnessApi, { baseUrl: address })
  yield* client.session.open({ payload: { token: Redacted.make(token) } })
}, Effect.mapError(errorOf))

/** Makes a source over the HTTP API of a running command. */
export const make = ({
  address,
  onConnection = () => undefined,
  token
}: HttpSourceOptions): Effect.Effect<Source, never, HttpClient.HttpClient> =>
  Effect.map(
    HttpApiClient.make(HarnessApi, {
      baseUrl: address,
      transformClient: mapRequest((request) =>
        token === undefined ? request : HttpClientRequest.setHeader(request, tokenHeader, token)
      )
    }),
    ({ load, nights, project, runs, suites }): Source => {
      const read = <A>(effect: Effect.Effect<A, object>): Effect.Effect<A, SourceError> =>
        Effect.mapError(effect, errorOf)
      return {
        project: read(project.get({})),
        suites: read(suites.list({})),
        runs: (query = {}) => read(runs.list({ query })),
        run: (run_id) => read(runs.get({ params: { run_id } })),
        trace: (run_id, trace) => {
          const [, number] = /^traces\/(\d{1,9})\.json$/u.exec(trace) ?? []
          return read(runs.trace({ params: { run_id, trace: Number(number) } }))
        },
        linkOf: (run, file) => `${address}${runFilePath(run, file)}`,
        reportOf: () => undefined,
        nights: (last) => read(nights.map({ query: last === undefined ? {} : { last } })),
        figures: (figure, last) => read(nights.figures({ query: { figure, ...(last === undefined ? {} : { last }) } })),
        night: (night_id) => read(nights.get({ params: { night_id } })),
        compare: (night_id, before) => read(nights.compare({ params: { night_id, before } })),
        trend: (scenario) =>
          read(nights.trend({ query: scenario === null ? {} : { suite: scenario.suite, name: scenario.name } })),
        loads: read(load.list({})),
        load: (run_id, test) => read(load.get({ params: { run_id, test } })),
        compareLoads: (run_id, test, before) => read(load.compare({ params: { run_id, test, before } })),
        loadComparisons: read(load.comparisons({})),
        loadComparison: (run_id, test) => read(load.comparison({ params: { run_id, test } })),
        actions: {
          start: (payload) => read(runs.start({ payload })),
          stop: (run_id) => read(runs.stop({ params: { run_id } })),
          accept: (night_id, payload) => read(nights.accept({ params: { night_id }, payload })),
          acknowledge: (night_id, payload) => read(nights.acknowledge({ params: { night_id }, payload })),
          quarantine: (payload) => read(nights.quarantine({ payload })),
          release: (payload) => read(nights.release({ payload })),
          follow: (request) =>
            follow(`${address.replace(/^http/u, "ws")}${uiSocketPath}`, request, onConnection, read(project.get({})))
        }
      }
    }
  )
