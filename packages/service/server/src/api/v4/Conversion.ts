import { fromMillis, type HTTPValidationError } from "@webagent/contract"
import type {
  Browser,
  CreatedRun,
  QueuedMessage,
  QueueMessage,
  Run,
  RunCreate,
  RunStatusView,
  SessionInfo,
  UpdatedBrowser
} from "@webagent/contract/v4"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Browser as Domain, type Message, type Session, type SessionRequest, Turn } from "@webagent/engine"
import { allowedDomains, enableRecording, languages, lifetime, metadata, profile } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import * as OutputSchema from "../OutputSchema.ts"
import type { Links } from "../Links.ts"
import { browserQueueOf, waitingForOf } from "../RunWaits.ts"
import { browserSettings, screen } from "./BrowserSettings.ts"
import * as Options from "./Options.ts"

const orNull = (epoch_ms: number | null) => (epoch_ms === null ? null : fromMillis(epoch_ms))

/** Converts the body of a v4 create request: a session of its own. */
export const toDomain = Effect.fnUntracedEager(function* (
  body: RunCreate
): Effect.fn.Return<SessionRequest, HTTPValidationError> {
  const schema = yield* OutputSchema.read(body)
  const recording = yield* enableRecording(body)
  const settings = yield* browserSettings(body)
  const own = yield* Options.ofRun(body)
  const turn = yield* Options.ofTurn(body)
  const { modelParams = null, task } = body
  return { task, modelParams, thinkingLevel: null, ...schema, ...recording, ...settings, ...own, ...turn }
})

/** Converts the body of a v4 create request that names a session: its next turn. */
export const followUpToDomain = Effect.fnUntraced(function* (sessionId: string, body: RunCreate) {
  const { browser, profileId, recording } = yield* toDomain(body)
  if (recording === true || profileId !== undefined || browser !== undefined) {
    return yield* invalid(
      ["body"],
      "A session has its recording, its profile and its browser settings from its first run on: leave them out of a follow-up"
    )
  }
  const schema = yield* OutputSchema.read(body)
  const own = yield* Options.ofRun(body)
  const turn = yield* Options.ofTurn(body)
  const { modelParams, task } = body
  const message: Message = {
    sessionId,
    text: task,
    interrupt: false,
    ...(modelParams === undefined ? {} : { modelParams }),
    ...schema,
    ...own,
    ...turn
  }
  return message
})

/** When the status of a turn changed last. */
const updatedAt = ({ createdAt_ms, dispatchedAt_ms, finishedAt_ms, startedAt_ms }: Turn.Turn) =>
  fromMillis(finishedAt_ms ?? startedAt_ms ?? dispatchedAt_ms ?? createdAt_ms)

const judgementOf = ({ judgement }: Turn.Turn) =>
  judgement === null
    ? null
    : {
        verdict: judgement.verdict,
        reasoning: judgement.reasoning,
        failure_reason: judgement.failureReason,
        impossible_task: judgement.impossibleTask ?? null,
        reached_captcha: judgement.reachedCaptcha ?? null
      }

/** The waits of a run: fields that the description doesn't have, present only while it waits. */
const waitsOf = (turn: Turn.Turn) => {
  const browserQueue = browserQueueOf(turn)
  const waitingFor = waitingForOf(turn)
  return {
    ...(browserQueue === null ? {} : { browserQueue }),
    ...(waitingFor === null ? {} : { waitingFor })
  }
}

/** The options of a run as it was created: fields that the description doesn't have, present only if they were set. */
const optionsOf = ({ budget, judge, metadata, pausesAtCost, replay, secrets, tags }: Turn.Turn) => ({
  ...(tags.length === 0 ? {} : { tags }),
  ...(metadata === undefined ? {} : { metadata }),
  ...(judge === undefined ? {} : { judge: judge.isOn ? { context: judge.context, model: judge.model } : false }),
  ...(Predicate.isNullish(budget?.cost) ? {} : { maxCostUsd: budget.cost }),
  ...(pausesAtCost === true ? { onMaxCost: "pause" } : {}),
  ...(replay === undefined ? {} : { replay: replayView(replay) }),
  ...(secrets === undefined ? {} : { secretBindings: secrets.map(bindingOf) })
})

/** The replay of a run: the run that it repeats, and the number of steps that were repeated in each way so far. */
export const replayView = ({ asked, healed, mayAsk, of, replayed }: NonNullable<Turn.Turn["replay"]>) => ({
  of,
  asksModel: mayAsk,
  replayed,
  healed,
  asked
})

/** A secret of a run without its value. */
export const bindingOf = ({ alias, domains, server }: NonNullable<Turn.Turn["secrets"]>[number]) => ({
  alias,
  source: server === null ? { type: "inline" } : { type: "server", name: server },
  allowedDomains: domains
})

/** A turn as a v4 run, with where its session's browser is seen: a field that the description does not have. */
export const fromDomain = (turn: Turn.Turn, liveUrl: string | null = null): Run => ({
  id: turn.id,
  status: turn.status,
  sessionId: turn.sessionId,
  workspaceId: turn.files?.workspaceId ?? null,
  task: turn.task,
  modelParams: turn.modelParams,
  judgement: judgementOf(turn),
  ...waitsOf(turn),
  ...optionsOf(turn),
  result: turn.output,
  error: turn.error,
  title: Turn.titleOf(turn),
  model: turn.model,
  createdAt: fromMillis(turn.createdAt_ms),
  updatedAt: updatedAt(turn),
  startedAt: orNull(turn.startedAt_ms),
  finishedAt: orNull(turn.finishedAt_ms),
  cost: turn.cost,
  totalCostUsd: turn.cost,
  contextLimit: null,
  totalInputTokens: turn.tokens?.input ?? 0,
  totalOutputTokens: turn.tokens?.output ?? 0,
  attachedFileIds: turn.files?.ids ?? null,
  ...(liveUrl === null ? {} : { liveUrl })
})

/** A turn that was just created as a v4 run, with the address of its events on a server that starts with `origin`. */
export const createdFromDomain = (
  turn: Turn.Turn,
  origin: string,
  missingFileIds: ReadonlyArray<string> = []
): CreatedRun => ({
  ...fromDomain(turn),
  eventsUrl: `${origin}${basePath.v4}/runs/${turn.id}/events`,
  missingFileIds
})

/** The one field that is polled. */
export const statusFromDomain = (turn: Turn.Turn): RunStatusView => ({ status: turn.status })

/** A follow-up for the session with this id; `deduplicate` is the header that asks for one of several equal messages. */
export const messageToDomain = (
  sessionId: string,
  body: QueueMessage,
  deduplicate: string | undefined
): Effect.Effect<Message, HTTPValidationError> =>
  Effect.map(
    Effect.all([OutputSchema.read(body), Options.deduplication(deduplicate), Options.refuseOfMessage(body)]),
    ([schema, deduplicated]) => ({
      sessionId,
      text: body.text,
      interrupt: body.interrupt,
      ...schema,
      ...deduplicated
    })
  )

/** A message waits until a node takes its run. It's removed if its run was cancelled before that. */
const messageStatusOf = ({ startedAt_ms, status }: Turn.Turn) => {
  if (status === "queued") return "pending"
  if (status === "dispatching") return "dispatching"
  return startedAt_ms === null && (status === "cancelled" || status === "failed") ? status : "consumed"
}

/** The message that a turn came from. Its number is the turn's place in its session. */
export const messageFromDomain = (turn: Turn.Turn): QueuedMessage => ({
  id: turn.seq,
  sessionId: turn.sessionId,
  runId: turn.id,
  mode: turn.ahead ? "interrupt" : "queue",
  status: messageStatusOf(turn),
  text: turn.task,
  attachedFileIds: turn.files?.ids ?? null,
  createdAt: fromMillis(turn.createdAt_ms)
})

/** A session with its latest turn as v4 lists it. */
export const sessionFromDomain = (session: Session.Session, latest: Turn.Turn): SessionInfo => ({
  sessionId: session.id,
  workspaceId: latest.files?.workspaceId ?? null,
  latestRunId: latest.id,
  task: latest.task,
  title: Turn.titleOf(latest),
  status: latest.status,
  createdAt: fromMillis(session.createdAt_ms),
  updatedAt: updatedAt(latest)
})

/** Error for a refused country. */
export const wrongCountry = (msg: string, type?: string) => invalid(["body", "proxyCountryCode"], msg, type)

const screenOfBrowser = screen("browserScreenWidth", "browserScreenHeight")

/** Converts the body of a browser create request. */
export const browserToDomain = (body: { readonly proxyCountryCode?: string | null }) => {
  const { proxyCountryCode = null } = body
  return proxyCountryCode === null || /^[A-Za-z]{2}$/u.test(proxyCountryCode)
    ? Effect.map(
        Effect.all([
          allowedDomains(body),
          enableRecording(body),
          languages(body),
          lifetime(body),
          metadata(body),
          profile(body),
          screenOfBrowser(body),
          Options.refuseOfBrowser(body)
        ]),
        ([domains, recording, announced, time, texts, profiled, sized]) => ({
          proxyCountryCode,
          ...sized,
          ...domains,
          ...recording,
          ...announced,
          ...time,
          ...texts,
          ...profiled
        })
      )
    : Effect.fail(wrongCountry("Expected a two-letter country code", "string_pattern_mismatch"))
}

/** Path of a browser's CDP endpoint, also used as a route with `:browser_id`. */
export const cdpPath = <const Id extends string>(browserId: Id) => `${basePath.v4}/browsers/${browserId}/cdp` as const

/**
 * Address at which a person can take over a browser: a field that the description does not have, present only if there
 * is a live view.
 */
const controlOf = (url: string | null) => (url === null ? {} : { controlUrl: url })

/** Fields that the description doesn't have: a browser's allowed domains, its languages and its profile. */
const ownOf = ({ allowedDomains, languages, profile }: Domain.Browser) => ({
  // records of older versions have none
  ...(Predicate.isNotNullish(profile) ? { profileId: profile.id, profileMode: profile.mode } : {}),
  ...(Predicate.isNotNullish(languages) ? { languages } : {}),
  ...(Predicate.isNotNullish(allowedDomains) ? { allowedDomains } : {})
})

/** Fields about the creator of a browser. Both are missing in records of older versions. */
const ofCreator = ({ metadata, sessionId }: Partial<Domain.Browser>) => ({
  agentSessionId: sessionId ?? null,
  metadata: metadata ?? {}
})

/** A browser as v4 shows it. */
export const browserFromDomain = (browser: Domain.Browser, links: Links): Browser => {
  const seen = browser.status === "active" ? browser.id : null
  return {
    id: browser.id,
    cdpUrl: links.to(cdpPath(browser.id)).replace(/^http/u, "ws"),
    // v4 has no status for a browser that is starting or waits for room
    status: browser.status === "stopped" ? "stopped" : "active",
    liveUrl: links.live(seen),
    ...controlOf(links.control(seen)),
    recordingUrl: browser.recording && browser.status === "stopped" ? links.recording(browser.id) : null,
    recordingAvailable: browser.recording,
    proxyCountryCode: browser.proxyCountryCode,
    ...ownOf(browser),
    startedAt: fromMillis(browser.startedAt_ms),
    finishedAt: orNull(browser.finishedAt_ms),
    timeoutAt: orNull(browser.expiresAt_ms),
    // the traffic is known once it's stopped; this server has no prices
    proxyUsedMb: Predicate.isNotNullish(browser.bytes) ? Domain.megabytes(browser.bytes) : "0",
    proxyCost: "0",
    browserCost: "0",
    ...ofCreator(browser)
  }
}

/** A browser as reads show it: the address of one that isn't active opens nothing. */
export const browserReadFromDomain = (browser: Domain.Browser, links: Links): UpdatedBrowser => {
  const view = browserFromDomain(browser, links)
  return browser.status === "active" ? view : { ...view, cdpUrl: null }
}
