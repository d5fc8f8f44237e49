import type {
  Browser as BrowserView,
  Mark,
  ModelCall as CallView,
  Run,
  RunDetails,
  RunStep,
  Session as SessionView
} from "@webagent/admin"
import { fromMillis } from "@webagent/contract"
import { type Browser, type ModelCall, type RunMark, type Session, Turn } from "@webagent/engine"
import { browserQueueOf, questionOf, waitingForOf } from "../../api/RunWaits.ts"
import { replayView } from "../../api/v4/Conversion.ts"
import * as Struct from "effect/Struct"

const momentOf = (at_ms: number | null) => (at_ms === null ? null : fromMillis(at_ms))

/** A turn as the admin API shows a run. */
export const runOf = (turn: Turn.Turn): Run => ({
  id: turn.id,
  status: turn.status,
  task: turn.task,
  title: Turn.titleOf(turn),
  model: turn.model,
  owner: turn.owner,
  node: turn.node,
  tags: turn.tags,
  sessionId: turn.sessionId,
  workspaceId: turn.files?.workspaceId ?? null,
  steps: turn.steps,
  failure: turn.failure,
  reason: Turn.isTerminal(turn.status) ? Turn.reasonOf(turn) : null,
  browserQueue: browserQueueOf(turn),
  waitingFor: waitingForOf(turn),
  error: turn.error,
  result: turn.output,
  isSuccess: turn.isSuccess,
  judgement: turn.judgement,
  totalCostUsd: turn.cost,
  totalInputTokens: turn.tokens?.input ?? null,
  totalOutputTokens: turn.tokens?.output ?? null,
  createdAt: fromMillis(turn.createdAt_ms),
  startedAt: momentOf(turn.startedAt_ms),
  finishedAt: momentOf(turn.finishedAt_ms),
  updatedAt: fromMillis(turn.finishedAt_ms ?? turn.startedAt_ms ?? turn.dispatchedAt_ms ?? turn.createdAt_ms)
})

/** The options of a run that its creator chose. A secret has no value. */
export const optionsOf = (
  { judge, metadata, pausesAtCost, replay, secrets }: Turn.Turn,
  { browser }: Session.Session
): Pick<RunDetails, "browserSettings" | "judge" | "metadata" | "onMaxCost" | "replay" | "secretBindings"> => ({
  metadata: metadata ?? {},
  judge: judge === undefined ? null : { on: judge.isOn, context: judge.context, model: judge.model },
  onMaxCost: pausesAtCost === true ? "pause" : "fail",
  replay: replay === undefined ? null : replayView(replay),
  secretBindings: (secrets ?? []).map(({ alias, domains, server }) => ({ alias, server, allowedDomains: domains })),
  browserSettings:
    browser === undefined
      ? null
      : {
          proxyCountryCode: browser.proxyCountryCode ?? null,
          screenWidth: browser.screen?.width ?? null,
          screenHeight: browser.screen?.height ?? null,
          languages: browser.languages ?? null,
          timeZone: browser.timeZone ?? null,
          userAgent: browser.userAgent ?? null
        }
})

/** The questions of a turn, with their outcomes. */
export const questionsOf = ({ questions = [] }: Turn.Turn): NonNullable<RunDetails["questions"]> =>
  questions.map((question) => {
    const { outcome } = question
    return {
      ...questionOf(question),
      outcome:
        outcome === undefined
          ? null
          : { kind: outcome.kind, answer: outcome.answer, by: outcome.by, at: fromMillis(outcome.at_ms) }
    }
  })

/** A step of a turn. */
export const stepOf =
  ({ status, steps }: Pick<Turn.Turn, "status" | "steps">) =>
  (step: Turn.TurnStep): RunStep => {
    const { beganAt_ms, ended, ordinal } = step
    // a step that ended with its run has no outcome
    const isCut = ended === undefined && ordinal === steps && (status === "failed" || status === "cancelled")
    return {
      runId: step.turnId,
      number: ordinal,
      title: step.title ?? null,
      summary: step.summary,
      tool: step.tool ?? null,
      role: step.role ?? null,
      name: step.name ?? null,
      address: step.address,
      value: step.value ?? null,
      verified: step.verified ?? null,
      failure: isCut ? Turn.cutShort : (ended?.failure ?? null),
      startedAt: fromMillis(beganAt_ms),
      durationMs: ended === undefined ? null : ended.at_ms - beganAt_ms,
      tokens: step.tokens ?? null,
      costUsd: step.cost ?? null,
      picture: step.picture !== null
    }
  }

/** The mark of a run. */
export const markOf = ({ at_ms, by, note, verdict }: RunMark): Mark => ({ verdict, note, by, at: fromMillis(at_ms) })

/** A model call of a turn. */
export const callOf = (call: ModelCall): CallView => ({
  runId: call.turnId,
  number: call.ordinal,
  step: call.step,
  model: call.model,
  inputTokens: call.tokens?.input ?? null,
  outputTokens: call.tokens?.output ?? null,
  costUsd: call.cost,
  startedAt: fromMillis(call.at_ms),
  durationMs: Math.round(call.duration_ms),
  failure: call.failure
})

/** A session. */
export const sessionOf = (session: Session.Session): SessionView => ({
  ...Struct.pick(session, ["id", "status", "owner", "browserId", "keepAlive", "recording", "shared"]),
  node: session.lease?.node ?? null,
  runs: session.turnCount,
  proxyCostUsd: session.proxyCost,
  createdAt: fromMillis(session.createdAt_ms),
  finishedAt: momentOf(session.finishedAt_ms)
})

/** The work that an agent does in a browser. */
export interface BrowserWork {
  readonly sessionId: string
  readonly turnId: string | null
  /** The task of the turn. */
  readonly task: string | null
}

/** A browser, with what its agent does in it, and the tab in front where it is known. */
export const browserOf = (
  browser: Browser.Browser,
  work: BrowserWork | undefined,
  tab: { readonly title: string; readonly address: string } | null = null
): BrowserView => ({
  ...Struct.pick(browser, ["id", "status", "owner", "node", "stopReason", "recording"]),
  agentSessionId: work?.sessionId ?? null,
  runId: work?.turnId ?? null,
  task: work?.task ?? null,
  title: tab?.title ?? null,
  address: tab?.address ?? null,
  driver: browser.driver?.name ?? null,
  startedAt: fromMillis(browser.startedAt_ms),
  timeoutAt: momentOf(browser.expiresAt_ms),
  finishedAt: momentOf(browser.finishedAt_ms)
})
