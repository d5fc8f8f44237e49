import { costOf } from "@webagent/contract"
import {
  type ApiVersion,
  terminalRunStatuses,
  terminalTaskStatuses,
  terminalV3SessionStatuses
} from "@webagent/contract/Wire"
import type { LedgerEntry } from "@webagent/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as Money from "@webagent/cli/Money"
import { type Made, most, TrialLog } from "./TrialLog.ts"
import { type Route, routeOf } from "./Route.ts"
import { type Seen, startOf } from "./Seen.ts"
import { ExchangeListener } from "./ExchangeListener.ts"
import * as ServiceError from "./ServiceError.ts"
import { codeOf } from "./SystemError.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const opinion = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

const read = <A>(fields: Schema.ConstraintDecoder<A>) => Schema.decodeUnknownOption(Schema.fromJsonString(fields))

const readCreated = read(Schema.Struct({ id: text, runId: text, sessionId: text }))
/** A record with all its fields: a cost has several names. */
const record = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])

const readRun = read(record({ id: Schema.String, status: text }))
const readSession = read(record({ status: text, isTaskSuccessful: opinion }))
const readStatus = read(Schema.Struct({ status: text }))
const readTasks = read(
  Schema.Struct({
    tasks: Schema.Array(record({ id: Schema.String, status: text, isSuccess: opinion, judgeVerdict: opinion }))
  })
)
const readBrowser = read(Schema.Record(Schema.String, Schema.Unknown))

const isOneOf = (statuses: ReadonlyArray<string>, status: string | null | undefined): status is string =>
  typeof status === "string" && statuses.includes(status)

const kinds: Readonly<Record<string, "run" | "session" | "browser">> = {
  "v3.createSession": "session",
  "v4.createRun": "run",
  "v4.queueMessage": "run",
  "v4.createBrowser": "browser"
}

/** The resources that the response to a create request reports as created. */
const made = (log: TrialLog, operation: string, body: string, at_ms: number) => {
  const kind = kinds[operation]
  const answer = Option.getOrUndefined(readCreated(body))
  const id = operation === "v4.queueMessage" ? answer?.runId : answer?.id
  if (kind === undefined || typeof id !== "string") return
  log.made.set(id, { kind, sessionId: answer?.sessionId ?? undefined, at_ms })
  if (kind === "browser") log.openBrowsers.add(id)
}

const sawRun = (log: TrialLog, body: string) => {
  const run = Option.getOrUndefined(readRun(body))
  if (run === undefined) return
  const cost = costOf(run)
  if (cost !== undefined) log.costs.set(run.id, cost)
  log.lastStatus = run.status ?? log.lastStatus
  if (!isOneOf(terminalRunStatuses, run.status)) return
  log.ended.set(run.id, run.status)
  log.results.add(run.id)
}

const sawStatus = (log: TrialLog, id: string, body: string) => {
  const status = Option.getOrUndefined(readStatus(body))?.status
  log.lastStatus = status ?? log.lastStatus
  if (isOneOf(terminalRunStatuses, status)) log.ended.set(id, status)
}

const sawSession = (log: TrialLog, id: string, body: string) => {
  const session = Option.getOrUndefined(readSession(body)) ?? {}
  const { isTaskSuccessful, status } = session
  log.agent = isTaskSuccessful ?? log.agent
  log.lastStatus = status ?? log.lastStatus
  const cost = costOf(session)
  if (log.made.has(id) && cost !== undefined) log.costs.set(id, cost)
  if (!isOneOf(terminalV3SessionStatuses, status)) return
  log.results.add(id)
  for (const [run, { sessionId }] of log.made) if (sessionId === id) log.results.add(run)
}

const sawTasks = (log: TrialLog, id: string, body: string) => {
  const tasks = Option.getOrUndefined(readTasks(body))?.tasks ?? []
  const costs = tasks.flatMap((task) => costOf(task) ?? [])
  // the cost of a session that the trial created is that of all its tasks
  if (log.made.has(id) && costs.length > 0 && costs.length === tasks.length) log.costs.set(id, Money.sum(costs))
  for (const task of tasks) {
    log.agent = task.isSuccess ?? log.agent
    log.judge = task.judgeVerdict ?? log.judge
    log.lastStatus = task.status ?? log.lastStatus
    if (!isOneOf(terminalTaskStatuses, task.status)) continue
    log.results.add(task.id)
    // other tasks of a session that was there before are not ours to pay
    const cost = costOf(task)
    if (log.made.has(task.id) && cost !== undefined) log.costs.set(task.id, cost)
  }
}

/** Reads the cost of a stopped browser, where the service reports it: published services do. */
const sawBrowser = (log: TrialLog, id: string, body: string) => {
  const { browserCost, proxyCost } = Option.getOrUndefined(readBrowser(body)) ?? {}
  const cost = costOf({ cost: browserCost })
  if (!log.made.has(id) || cost === undefined) return
  log.costs.set(id, Money.sum([cost, costOf({ cost: proxyCost }) ?? "0"]))
  log.results.add(id)
}

const decoder = new TextDecoder()

const learn = (
  log: TrialLog,
  { creates, operation, resource }: Route,
  { endedAt_ms = 0, status = 0 }: Seen,
  bytes: ArrayBuffer
) => {
  if (status < 200 || status >= 300 || operation === null) return
  if (creates) return made(log, operation, decoder.decode(bytes), endedAt_ms)
  if (resource === null) return
  if (operation === "v4.getRun" || operation === "v4.cancelRun") sawRun(log, decoder.decode(bytes))
  else if (operation === "v4.getRunStatus") sawStatus(log, resource, decoder.decode(bytes))
  else if (operation === "v3.getSession") sawSession(log, resource, decoder.decode(bytes))
  else if (operation === "v2.getSession") sawTasks(log, resource, decoder.decode(bytes))
  else if (operation === "v4.updateBrowser") sawBrowser(log, resource, decoder.decode(bytes))
}

const failureOf = (cause: Cause.Cause<unknown>): string =>
  Cause.hasInterruptsOnly(cause) ? "given up" : (codeOf(Cause.squash(cause)) ?? "no answer")

/** The same answer, which tells when its body has been read. */
const watched = (
  response: HttpClientResponse.HttpClientResponse,
  onBody: (exit: Exit.Exit<ArrayBuffer, unknown>) => Effect.Effect<void>
): HttpClientResponse.HttpClientResponse => {
  const body = Effect.onExit(response.arrayBuffer, (exit) => Effect.suspend(() => onBody(exit)))
  const asText = Effect.map(body, (bytes) => decoder.decode(bytes))
  return Object.create(response, { arrayBuffer: { get: () => body }, text: { get: () => asText } })
}

const agent = "user-agent"

/** Marks requests with the trial they belong to, for servers that write that down. */
const marked = (client: HttpClient.HttpClient, markOf: (log: TrialLog) => string): HttpClient.HttpClient =>
  HttpClient.mapRequestEffect(client, (request) =>
    Effect.map(TrialLog, (log) => {
      const before = request.headers[agent]
      return HttpClientRequest.setHeader(request, agent, `${before === undefined ? "" : `${before} `}${markOf(log)}`)
    })
  )

/** Typed clients send an id with each request, and write in the ledger themselves. */
const isRaw = ({ request }: Seen) => request.headers["x-request-id"] === undefined

/** The ledger entries for the resources that a raw request created or stopped. */
const entriesOf = (
  { endedAt_ms = 0, request, status = 0 }: Seen,
  { operation, resource }: Route,
  made: ReadonlyArray<readonly [id: string, made: Made]>
): ReadonlyArray<LedgerEntry> => {
  const at_ms = Math.round(endedAt_ms)
  const { origin, pathname: path } = new URL(request.url)
  if (operation === "v4.updateBrowser" && resource !== null && status >= 200 && status < 300) {
    return [{ _tag: "closed", at_ms, kind: "browser", id: resource }]
  }
  return made.flatMap(([id, { kind }]): ReadonlyArray<LedgerEntry> => {
    const key = `raw ${id}`
    const opening = { _tag: "opening", at_ms, key, kind, method: request.method, path, origin, requestId: "" } as const
    return [opening, { _tag: "opened", at_ms, key, id }]
  })
}

/**
 * A client that keeps each scenario's log: what it sent and what came, the browsers it has open, what its runs cost. It
 * looks at the wire, so that raw requests count as those of the typed clients do.
 */
export const make = (
  client: HttpClient.HttpClient,
  baseUrls: Readonly<Record<ApiVersion, string>>,
  markOf?: (log: TrialLog) => string,
  note: (entries: ReadonlyArray<LedgerEntry>) => Effect.Effect<void> = () => Effect.void
): HttpClient.HttpClient =>
  HttpClient.transform(markOf === undefined ? client : marked(client, markOf), (effect, request) =>
    Effect.withFiber((fiber) => {
      const log = fiber.getRef(TrialLog)
      const clock = fiber.getRef(Clock.Clock)
      const listener = fiber.getRef(ExchangeListener)
      const now_ms = () => Number(clock.currentTimeNanosUnsafe() / 10_000n) / 100
      const route = routeOf(baseUrls, request.method, request.url)
      const seen: Seen = {
        request,
        span: Context.getOrUndefined(fiber.context, Tracer.ParentSpan),
        at_ms: now_ms(),
        headersAt_ms: undefined,
        endedAt_ms: undefined,
        status: undefined,
        headers: undefined,
        body: undefined,
        failure: undefined
      }
      const begun = { method: request.method, path: URL.parse(request.url)?.pathname ?? request.url }
      const tell = () => {
        const duration_ms = Math.round(((seen.endedAt_ms ?? seen.headersAt_ms ?? seen.at_ms) - seen.at_ms) * 100) / 100
        log.lastExchange = { ...begun, status: seen.status ?? null, duration_ms }
      }
      tell()
      log.answerError = undefined
      log.requests++
      if (log.exchanges.length < most) log.exchanges.push(seen)
      listener?.(seen, log)

      const ended = (failure: string | undefined) => {
        seen.failure = failure
        seen.endedAt_ms = now_ms()
        tell()
        listener?.(seen, log)
      }
      return effect.pipe(
        Effect.map((response) => {
          const { headers, status } = response
          Object.assign(seen, { headersAt_ms: now_ms(), headers, status })
          tell()
          // an answer without a body is learnt from its status alone
          if (route.operation === "v4.updateBrowser" && status >= 200 && status < 300) {
            log.openBrowsers.delete(route.resource ?? "")
          }
          return watched(response, (exit) => {
            if (seen.endedAt_ms !== undefined) return Effect.void
            if (Exit.isSuccess(exit)) seen.body = startOf(new Uint8Array(exit.value))
            ended(Exit.isSuccess(exit) ? undefined : failureOf(exit.cause))
            if (Exit.isFailure(exit)) return Effect.void
            const known = log.made.size
            learn(log, route, seen, exit.value)
            ServiceError.note(log, seen.status ?? 0, exit.value)
            return isRaw(seen) ? note(entriesOf(seen, route, Array.from(log.made).slice(known))) : Effect.void
          })
        }),
        Effect.onError((cause) => Effect.sync(() => ended(failureOf(cause))))
      )
    })
  )
