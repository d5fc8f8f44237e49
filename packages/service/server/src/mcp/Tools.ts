import { isTerminalRunStatus } from "@webagent/contract/v4"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { McpRequestContext } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { toolArguments } from "./Arguments.ts"
import { type Json, OperationError, Operations } from "./Operations.ts"

/** Clients give up on a call after about a minute, so a tool waits less than that by default. */
const wait_s = 45
const longestWait_s = 300

const Text = Schema.NonEmptyString
const Id = Schema.NonEmptyString
const Fields = Schema.Record(Schema.String, Schema.Unknown)

const waitSeconds = (usual: number) =>
  Schema.optional(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestWait_s })).annotate({
      description: `How long to wait for the end of the run, in seconds: 0 to ${longestWait_s} (default: ${usual})`
    })
  )

const limit = Schema.optional(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
    description: "How many to list: 1 to 100 (default: 20)"
  })
)
const usualLimit = 20

const RunAnswer = Schema.Struct({
  run: Fields.annotate({ description: "The run: id, sessionId, status, and at its end result, error and cost" }),
  isFinished: Schema.Boolean,
  next: Schema.optional(Schema.String.annotate({ description: "What to do next" }))
})

const BrowserAnswer = Schema.Struct({
  browser: Fields.annotate({ description: "The browser: id, status, cdpUrl and liveUrl" })
})

interface Effects {
  readonly isReadonly?: boolean
  readonly isDestructive?: boolean
  readonly isIdempotent?: boolean
}

const reads: Effects = { isReadonly: true, isDestructive: false, isIdempotent: true }

/** The title of a tool, and what a call may do: clients ask people before a destructive one. */
const hints = (title: string, { isDestructive = true, isIdempotent = false, isReadonly = false }: Effects = {}) =>
  Context.make(Tool.Title, title).pipe(
    Context.add(Tool.Strict, true),
    Context.add(Tool.Readonly, isReadonly),
    Context.add(Tool.Destructive, isDestructive),
    Context.add(Tool.Idempotent, isIdempotent)
  )

const RunTask = Tool.make("run_task", {
  description:
    "Give a task in plain words to an agent that uses a web browser, and wait for its result. Each call starts a run that may cost money.",
  parameters: toolArguments({
    task: Text.annotate({ description: "What to do, with all that the agent must know, such as addresses" }),
    waitSeconds: waitSeconds(wait_s),
    modelParams: Schema.optional(
      Fields.annotate({ description: "Settings of the language model, as its provider names them" })
    )
  }),
  success: RunAnswer,
  failure: OperationError
}).annotateMerge(hints("Run a task in a browser"))

const FollowUp = Tool.make("follow_up", {
  description:
    "Send a message to the agent of an earlier run, in the same browser, and wait for the run that it becomes. It may cost money.",
  parameters: toolArguments({
    sessionId: Id.annotate({ description: "sessionId of the earlier run" }),
    text: Text,
    interrupt: Schema.optional(
      Schema.Boolean.annotate({ description: "Stop the current run and begin at once (default: false)" })
    ),
    waitSeconds: waitSeconds(wait_s)
  }),
  success: RunAnswer,
  failure: OperationError
}).annotateMerge(hints("Follow up on a run"))

const GetRun = Tool.make("get_run", {
  description: "Get the status of a run, and its result once it has ended. With waitSeconds, wait for that.",
  parameters: toolArguments({ runId: Id, waitSeconds: waitSeconds(0) }),
  success: RunAnswer,
  failure: OperationError
}).annotateMerge(hints("Get a run", reads))

const ListRuns = Tool.make("list_runs", {
  description: "List your runs with their status, result and cost, newest first.",
  parameters: toolArguments({
    sessionId: Schema.optional(Id.annotate({ description: "Only this session's runs" })),
    limit,
    cursor: Schema.optional(Text.annotate({ description: "nextCursor of the page before" }))
  }),
  success: Schema.Struct({
    runs: Schema.Array(Fields),
    nextCursor: Schema.NullOr(Schema.String).annotate({ description: "The cursor of the next page; null at the end" })
  }),
  failure: OperationError
}).annotateMerge(hints("List runs", reads))

const CancelRun = Tool.make("cancel_run", {
  description: "Cancel a run that has not ended. Its session stays, and follow_up can continue it.",
  parameters: toolArguments({ runId: Id }),
  success: Schema.Struct({ run: Fields }),
  failure: OperationError
}).annotateMerge(hints("Cancel a run", { isIdempotent: true }))

const StopSession = Tool.make("stop_session", {
  description: "Stop a session for good: cancel its runs and release its browser.",
  parameters: toolArguments({ sessionId: Id.annotate({ description: "sessionId of a run" }) }),
  success: Schema.Struct({ session: Fields }),
  failure: OperationError
}).annotateMerge(hints("Stop a session", { isIdempotent: true }))

const ListBrowsers = Tool.make("list_browsers", {
  description: "List the browsers of create_browser with their status, newest first.",
  parameters: toolArguments({
    limit,
    page: Schema.optional(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description: "Number of the page (default: 1)" })
    )
  }),
  success: Schema.Struct({ browsers: Schema.Array(Fields), totalItems: Schema.Int }),
  failure: OperationError
}).annotateMerge(hints("List browsers", reads))

const CreateBrowser = Tool.make("create_browser", {
  description:
    "Start a browser to control over the Chrome DevTools Protocol at its cdpUrl. It runs, and may cost money, until stop_browser.",
  parameters: toolArguments({
    proxyCountryCode: Schema.optional(Schema.String.annotate({ description: "Country of its proxy, such as us" }))
  }),
  success: BrowserAnswer,
  failure: OperationError
}).annotateMerge(hints("Start a browser", { isDestructive: false }))

const StopBrowser = Tool.make("stop_browser", {
  description: "Stop a browser. What was open in it is lost.",
  parameters: toolArguments({ browserId: Id }),
  success: BrowserAnswer,
  failure: OperationError
}).annotateMerge(hints("Stop a browser", { isIdempotent: true }))

export const toolkit = Toolkit.make(
  RunTask,
  FollowUp,
  GetRun,
  ListRuns,
  CancelRun,
  StopSession,
  CreateBrowser,
  ListBrowsers,
  StopBrowser
)

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const runPath = (id: string) => `/runs/${encodeURIComponent(id)}`

const queryOf = (query: Readonly<Record<string, string | number | undefined>>) =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  ).toString()

/** The records of a page. Records that are no objects are left out. */
const recordsOf = (page: Json, name: string): ReadonlyArray<Json> => {
  const records = page[name]
  return Array.isArray(records) ? records.filter((one): one is Json => typeof one === "object" && one !== null) : []
}

/** The time between two polls of a status, in milliseconds: short at first, because many runs are short. */
const pauses = { first_ms: 250, factor: 1.5, longest_ms: 3000 }

const handlers = toolkit.toLayer(
  Effect.gen(function* () {
    const { call } = yield* Operations
    const { notifications } = yield* McpServer.McpServer

    /** Tells a client that asks for progress how long a call has waited. Clients extend their time limit by that. */
    const tellProgress = Effect.fnUntraced(function* (waited_ms: number, seconds: number, status: string) {
      const request = Option.getOrUndefined(yield* Effect.serviceOption(McpRequestContext))
      const token: unknown = request?.requestMetadata?.["progressToken"]
      if (typeof token !== "string" && typeof token !== "number") return
      yield* Effect.ignore(
        notifications["notifications/progress"]({
          progressToken: token,
          progress: waited_ms / 1000,
          total: seconds,
          message: `The run is ${status}.`
        })
      )
    })

    /** The run, once it has ended or the time is over. */
    const waitFor = Effect.fnUntraced(function* (id: string, seconds: number) {
      const began_ms = yield* Clock.currentTimeMillis
      const limit_ms = Duration.toMillis(Duration.seconds(seconds))
      let pause_ms = pauses.first_ms
      for (;;) {
        const { status } = yield* call("GET", `${runPath(id)}/status`)
        const waited_ms = (yield* Clock.currentTimeMillis) - began_ms
        const left_ms = limit_ms - waited_ms
        if (isTerminalRunStatus(text(status)) || left_ms <= 0) break
        yield* tellProgress(waited_ms, seconds, text(status))
        yield* Effect.sleep(Math.min(pause_ms, left_ms))
        pause_ms = Math.min(pause_ms * pauses.factor, pauses.longest_ms)
      }
      const run = yield* call("GET", runPath(id))
      const isFinished = isTerminalRunStatus(text(run["status"]))
      return { run, isFinished, ...(isFinished ? {} : { next: `The run continues. Call get_run with runId ${id}.` }) }
    })

    /** A created run is never lost: a wait that fails still tells its id. */
    const waitForNew = (run: Json, id: unknown, seconds = wait_s) =>
      typeof id !== "string"
        ? Effect.succeed({ run, isFinished: false, next: "The server named no run. Do not send the message again." })
        : waitFor(id, seconds).pipe(
            Effect.catch(({ message }) =>
              Effect.succeed({
                run: { ...run, id },
                isFinished: false,
                next: `The run was started, but not read: ${message} Call get_run with runId ${id}. Do not start it again.`
              })
            )
          )

    return toolkit.of({
      run_task: ({ modelParams, task, waitSeconds }) =>
        Effect.flatMap(call("POST", "/runs", { task, ...(modelParams === undefined ? {} : { modelParams }) }), (run) =>
          waitForNew(run, run["id"], waitSeconds)
        ),
      follow_up: ({ interrupt = false, sessionId, text, waitSeconds }) =>
        Effect.flatMap(
          call("POST", `/sessions/${encodeURIComponent(sessionId)}/queue`, { text, interrupt }),
          (queued) => waitForNew({ sessionId }, queued["runId"], waitSeconds)
        ),
      get_run: ({ runId, waitSeconds = 0 }) => waitFor(runId, waitSeconds),
      list_runs: ({ limit = usualLimit, ...query }) =>
        Effect.map(call("GET", `/runs?${queryOf({ ...query, limit })}`), (page) => ({
          runs: recordsOf(page, "runs"),
          nextCursor: text(page["nextCursor"]) || null
        })),
      cancel_run: ({ runId }) => Effect.map(call("POST", `${runPath(runId)}/cancel`), (run) => ({ run })),
      stop_session: ({ sessionId }) =>
        Effect.map(
          call("POST", `/sessions/${encodeURIComponent(sessionId)}/stop`, { strategy: "session" }, "v3"),
          (session) => ({ session })
        ),
      list_browsers: ({ limit = usualLimit, page = 1 }) =>
        Effect.map(call("GET", `/browsers?${queryOf({ pageSize: limit, pageNumber: page })}`), (answer) => ({
          browsers: recordsOf(answer, "items"),
          totalItems: Number(answer["totalItems"])
        })),
      create_browser: (input) => Effect.map(call("POST", "/browsers", input), (browser) => ({ browser })),
      stop_browser: ({ browserId }) =>
        Effect.map(call("PATCH", `/browsers/${encodeURIComponent(browserId)}`, { action: "stop" }), (browser) => ({
          browser
        }))
    })
  })
)

/** The operations as tools of an MCP server. */
export const layer = McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
