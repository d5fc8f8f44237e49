import { JsonObject, openStatus } from "@webagent/contract"
import { runStatuses } from "@webagent/contract/Wire"
import * as Schema from "effect/Schema"
import { FilterText, Ids, Instant, Usd, When, whole } from "./Page.ts"

/** Statuses of a run; the last three are final. */
export { runStatuses } from "@webagent/contract/Wire"

const text = Schema.NullOr(Schema.String)

/** Judgment of the run's result by a second model. */
export const Judgement = Schema.Struct({
  verdict: Schema.Boolean,
  reasoning: Schema.String,
  failureReason: text,
  impossibleTask: Schema.optionalKey(Schema.Boolean),
  reachedCaptcha: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Judgement" })

/** The opinion of a person about a run. */
export const Mark = Schema.Struct({
  verdict: Schema.Literals(["right", "wrong"]),
  note: text,
  /** Name of the key that set it. */
  by: Schema.String,
  at: Instant
}).annotate({ identifier: "Mark" })
export type Mark = typeof Mark.Type

/** The wait of a run for a free browser. */
const BrowserQueue = Schema.Struct({
  /** 1 is the next one that gets a browser. A position above 10 may be off by a factor of 2, because it is stored only now and then. */
  position: Schema.Int,
  /** `browsers` if all are in use, `key` if the key has as many as it may have, `memory` if the server is short of it. */
  reason: openStatus(["browsers", "key", "memory"]),
  since: Instant,
  /** When it fails if it has no browser; null for no limit. */
  until: Schema.NullOr(Instant)
}).annotate({ identifier: "BrowserQueue" })

const questionFields = {
  id: Schema.String,
  /** `question`, `approval`, `sign_in`, `captcha`, `payment` or `max_cost`. */
  reason: openStatus(["question", "approval", "sign_in", "captcha", "payment", "max_cost"]),
  /** The agent, a rule about actions that need an approval, or a request. */
  askedBy: openStatus(["agent", "rule", "api"]),
  question: Schema.String,
  /** The answers to choose from; null for any text. */
  choices: Schema.NullOr(Schema.Array(Schema.String)),
  askedAt: Instant,
  deadline: Instant,
  /** Effect on the run if no person answers in time. */
  whenUnanswered: openStatus(["fail", "skip", "continue"]),
  /** True if the run's time limit stands still meanwhile. */
  pausesTimeLimit: Schema.Boolean
}

/** The question that a run waits for. Question and choices are texts of strangers. */
export const WaitingFor = Schema.Struct(questionFields).annotate({ identifier: "AdminWaitingFor" })
export type WaitingFor = typeof WaitingFor.Type

/** A question of a run, with its outcome; null while the run waits. */
const AskedQuestion = Schema.Struct({
  ...questionFields,
  outcome: Schema.NullOr(
    Schema.Struct({
      /** `handed_back`: a person drove the browser and gave it back. */
      kind: openStatus(["answered", "handed_back", "expired"]),
      answer: text,
      /** Name of the person's key. */
      by: text,
      at: Instant
    })
  )
}).annotate({ identifier: "AskedQuestion" })

const runFields = {
  id: Schema.String,
  status: openStatus(runStatuses),
  task: Schema.String,
  title: text,
  model: text,
  /** Name of the key that created it; null for a run without one. */
  owner: text,
  /** The node that carries it out, or did last; null before that. */
  node: text,
  tags: Schema.Array(Schema.String),
  sessionId: Schema.String,
  workspaceId: text,
  /** Number of steps that the agent began. */
  steps: Schema.Int,
  /** Tag for the reason why it failed, such as `model_error`; null for a run that didn't fail. */
  failure: text,
  /** Reason why it finished: `done`, a failure's tag, or a cancel's reason such as `asked`; null before that. */
  reason: text,
  /** Null unless it waits for a free browser. Missing in responses of older servers. */
  browserQueue: Schema.optionalKey(Schema.NullOr(BrowserQueue)),
  /** Null unless it waits for a person. Missing in responses of older servers. */
  waitingFor: Schema.optionalKey(Schema.NullOr(WaitingFor)),
  error: text,
  result: Schema.Json,
  isSuccess: Schema.NullOr(Schema.Boolean),
  judgement: Schema.NullOr(Judgement),
  totalCostUsd: Schema.NullOr(Usd),
  totalInputTokens: Schema.NullOr(Schema.Int),
  totalOutputTokens: Schema.NullOr(Schema.Int),
  createdAt: Instant,
  startedAt: Schema.NullOr(Instant),
  finishedAt: Schema.NullOr(Instant),
  updatedAt: Instant
}

/**
 * A run: v4's RunSummary, plus `owner`, `node`, `tags`, `steps` and `failure`. Task, title, error and result are texts of
 * strangers: show them as text only.
 */
export const Run = Schema.Struct(runFields).annotate({ identifier: "AdminRun" })

/** A run as every list and operation shows it. */
export type Run = typeof Run.Type

/** A run with what only its own page shows. */
export const RunDetails = Schema.Struct({
  ...runFields,
  /** The browser of its session; null if it has none. */
  browserId: text,
  /** Number of times that an agent received it: more than 1 after its node was lost. */
  attempt: Schema.Int,
  modelParams: Schema.NullOr(JsonObject),
  outputSchema: Schema.NullOr(JsonObject),
  /** Files that it may upload, by the ids of their uploads; null if it has none. */
  attachedFileIds: Schema.NullOr(Schema.Array(Schema.String)),
  /** The browser profile of its session; null without one. */
  profileId: text,
  /** Limits of the run; null is unlimited. */
  budget: Schema.NullOr(
    Schema.Struct({
      costUsd: Schema.NullOr(Usd),
      tokens: Schema.NullOr(Schema.Int),
      durationMs: Schema.NullOr(Schema.Int)
    })
  ),
  suggestions: Schema.NullOr(Schema.Array(JsonObject)),
  liveUrl: text,
  recordingUrl: text,
  mark: Schema.NullOr(Mark),
  /** Texts that its creator attached. Missing in responses of older servers, as the next four fields and `replay` are. */
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** The judge of its result; null if the server decides. */
  judge: Schema.optionalKey(Schema.NullOr(Schema.Struct({ on: Schema.Boolean, context: text, model: text }))),
  /** Effect of reaching its cost limit: it fails, or waits for a person. */
  onMaxCost: Schema.optionalKey(openStatus(["fail", "pause"])),
  /** Its secrets, without values; `server` is the name of a secret of the server, and null for a value of its creator. */
  secretBindings: Schema.optionalKey(
    Schema.Array(Schema.Struct({ alias: Schema.String, server: text, allowedDomains: Schema.Array(Schema.String) }))
  ),
  /** The `browserSettings` of its session besides `profileId` and `record`; null where all are those of the server. */
  browserSettings: Schema.optionalKey(Schema.NullOr(JsonObject)),
  /** Its questions to people, oldest first. Missing in responses of older servers. */
  questions: Schema.optionalKey(Schema.Array(AskedQuestion)),
  /** The run whose steps it repeats, and how many were repeated in each way so far; null if it's no replay. */
  replay: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        of: Schema.String,
        asksModel: Schema.Boolean,
        replayed: Schema.Int,
        healed: Schema.Int,
        asked: Schema.Int
      })
    )
  ),
  /** True if a link shows it to people without a key. */
  shared: Schema.Boolean
}).annotate({ identifier: "RunDetails" })
export type RunDetails = typeof RunDetails.Type

/** Filters of a list of runs; a run has to match all of them. The same in a request and in the address of a page. */
export const RunFilters = Schema.Struct({
  status: Schema.optionalKey(Schema.Literals(runStatuses)),
  /** Name of the key that created it. A key without the scope `admin` sees its own runs whatever it says here. */
  key: Schema.optionalKey(FilterText),
  model: Schema.optionalKey(FilterText),
  node: Schema.optionalKey(FilterText),
  tag: Schema.optionalKey(FilterText),
  failure: Schema.optionalKey(FilterText),
  session: Schema.optionalKey(FilterText),
  /** `true` for those that wait for a person. */
  waiting: Schema.optionalKey(Schema.Literal("true")),
  /** Words of the task; the last one may be the beginning of a word. */
  search: Schema.optionalKey(FilterText),
  /** Created at this time or later. */
  from: Schema.optionalKey(When),
  /** Created before this time. */
  to: Schema.optionalKey(When),
  /** Cost at least this many USD so far. */
  minUsd: Schema.optionalKey(Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))
})
export type RunFilters = typeof RunFilters.Type

/** Number of runs, counted up to 10,000. */
export const Count = Schema.Struct({
  count: Schema.Int,
  /** True if there are more than `count`. */
  more: Schema.Boolean
})

/** A page of runs. */
export const RunPage = Schema.Struct({
  rows: Schema.Array(Run),
  next: Schema.NullOr(Schema.String),
  complete: Schema.Boolean,
  /** Runs by status that fit the other filters; only on the first page, null on the others and with `counts=false`. */
  counts: Schema.NullOr(Schema.Record(Schema.String, Count))
}).annotate({ identifier: "RunPage" })
export type RunPage = typeof RunPage.Type

/** A step of an agent. Fields that the agent doesn't report are null. */
export const RunStep = Schema.Struct({
  runId: Schema.String,
  /** 1 is the run's first. */
  number: Schema.Int,
  title: text,
  summary: Schema.String,
  tool: text,
  role: text,
  name: text,
  address: text,
  value: text,
  /** True if the agent saw that the step had its effect. */
  verified: Schema.NullOr(Schema.Boolean),
  /** Reason of the failure; null while the step runs and after it succeeded. */
  failure: text,
  startedAt: Instant,
  /** Null while it runs. */
  durationMs: Schema.NullOr(Schema.Int),
  tokens: Schema.NullOr(Schema.Struct({ input: Schema.Int, output: Schema.Int })),
  costUsd: Schema.NullOr(Usd),
  /** True if there is a picture of the page: `GET /runs/{id}/steps/{number}/picture`. */
  picture: Schema.Boolean
}).annotate({ identifier: "RunStep" })
export type RunStep = typeof RunStep.Type

/** Number of a step or model call in a path or query. */
export const StepNumber = whole(0, 1_000_000)

/** One call of a model. */
export const ModelCall = Schema.Struct({
  runId: Schema.String,
  /** 1 is the run's first. */
  number: Schema.Int,
  /** Number of the step that it was for; null if it was for none. */
  step: Schema.NullOr(Schema.Int),
  model: text,
  inputTokens: Schema.NullOr(Schema.Int),
  outputTokens: Schema.NullOr(Schema.Int),
  /** Input tokens that the provider read from its cache; missing if its agent doesn't report them. */
  cachedTokens: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  costUsd: Schema.NullOr(Usd),
  startedAt: Instant,
  durationMs: Schema.NullOr(Schema.Int),
  failure: text
}).annotate({ identifier: "ModelCall" })
export type ModelCall = typeof ModelCall.Type

/**
 * Request for a new run: the body of v4's `POST /runs`. These are its most used fields. Ids of files that the key doesn't
 * have get a 422.
 */
export const StartRun = Schema.StructWithRest(
  Schema.Struct({
    task: Schema.NonEmptyString,
    modelParams: Schema.optionalKey(JsonObject),
    /** Files that it may upload: all of a workspace, or those with these ids. */
    workspaceId: Schema.optionalKey(Schema.String),
    attachedFileIds: Schema.optionalKey(Schema.Array(Schema.String)),
    /** Settings of its browser; `profileId` is the profile that it starts with. */
    browserSettings: Schema.optionalKey(JsonObject)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({ identifier: "StartRun" })
export type StartRun = typeof StartRun.Type

/** A follow-up for the session of a run. */
export const SendMessage = Schema.Struct({
  text: Schema.NonEmptyString,
  /** True to cancel the session's current run and start this one. */
  interrupt: Schema.Boolean
}).annotate({ identifier: "SendMessage" })

/** `next` of the response before, if it wasn't null. */
const cancelCursor = Schema.optionalKey(Schema.NonEmptyString)

/** The runs to cancel: by their ids, all open ones that fit a filter, or all open ones. */
export const CancelRuns = Schema.Union([
  Schema.Struct({
    ids: Ids,
    /** True to leave runs alone that have begun, for example to take follow-ups out of a queue. */
    onlyQueued: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({
    /** At least one filter, so that a program that builds none by mistake doesn't cancel every run. */
    filter: Schema.Struct({ ...RunFilters.fields, minUsd: Schema.optionalKey(Schema.Finite) }).check(
      Schema.isMinProperties(1, {
        message: 'The filter is empty. To cancel all open runs, send {"all": true} instead.'
      })
    ),
    cursor: cancelCursor
  }),
  Schema.Struct({
    /** Cancels every open run that the key sees. */
    all: Schema.Literal(true),
    cursor: cancelCursor
  })
]).annotate({ identifier: "CancelRuns" })

/** Outcome of a bulk cancel for each run. Sending it again is harmless. */
export const CancelledRuns = Schema.Struct({
  cancelled: Schema.Array(Schema.String),
  /** Those that were finished before or, with `onlyQueued`, had begun. */
  already: Schema.Array(Schema.String),
  notFound: Schema.Array(Schema.String),
  /** With a filter or `all`: the cursor to send next, because one request changes at most 500; null when done. */
  next: Schema.NullOr(Schema.String)
}).annotate({ identifier: "CancelledRuns" })
export type CancelledRuns = typeof CancelledRuns.Type

/** Runs that were started again, and those that were not. */
export const RetriedRuns = Schema.Struct({
  started: Schema.Array(Schema.Struct({ of: Schema.String, run: Run })),
  notFound: Schema.Array(Schema.String),
  /** Those that a limit of the key refused, or whose browser profile can't be used. */
  refused: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.String, detail: Schema.String })))
}).annotate({ identifier: "RetriedRuns" })
export type RetriedRuns = typeof RetriedRuns.Type
