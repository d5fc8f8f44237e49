import { fromMillis, naiveFromMillis } from "@webagent/contract"
import type {
  SessionItemView,
  SessionView,
  ShareView,
  TaskItemView,
  TaskStatusView,
  TaskStep,
  TaskView
} from "@webagent/contract/v2"
import type { Session, SessionWithTurns, Turn } from "@webagent/engine"
import { type Links, sharePath } from "../Links.ts"
import { recordingOf } from "../SessionRecording.ts"

/** The v2 status of a turn. */
export const statusFromDomain = {
  queued: "created",
  dispatching: "created",
  running: "started",
  completed: "finished",
  failed: "failed",
  cancelled: "stopped"
} as const satisfies Record<Turn.TurnStatus, string>

const naiveOrNull = (epoch_ms: number | null) => (epoch_ms === null ? null : naiveFromMillis(epoch_ms))

const text = (output: unknown): string | null =>
  output === null || typeof output === "string" ? output : JSON.stringify(output)

/** A turn as a v2 task. What went wrong is its output: v2 has no field for an error. */
export const taskFromDomain = (turn: Turn.Turn): TaskItemView => ({
  id: turn.id,
  sessionId: turn.sessionId,
  llm: turn.model,
  task: turn.task,
  status: statusFromDomain[turn.status],
  createdAt: naiveFromMillis(turn.createdAt_ms),
  startedAt: naiveOrNull(turn.startedAt_ms),
  finishedAt: naiveOrNull(turn.finishedAt_ms),
  metadata: {},
  output: text(turn.output ?? turn.error),
  serviceVersion: turn.agentVersion,
  isSuccess: turn.isSuccess,
  judgement:
    turn.judgement === null
      ? null
      : JSON.stringify({
          reasoning: turn.judgement.reasoning,
          verdict: turn.judgement.verdict,
          failure_reason: turn.judgement.failureReason,
          impossible_task: turn.judgement.impossibleTask,
          reached_captcha: turn.judgement.reachedCaptcha
        }),
  judgeVerdict: turn.judgement?.verdict ?? null,
  cost: turn.cost,
  suggestions: turn.suggestions
})

/** The action of a step as JSON text; none if the agent doesn't report its tool. */
const actionsOf = ({ name = null, role = null, tool = null, value = null }: Turn.TurnStep): ReadonlyArray<string> =>
  tool === null ? [] : [JSON.stringify({ [tool]: { role, name, value } })]

/** A step as v2 shows it. This server's agents keep no memory and no goals besides a sentence per step. */
const stepFromDomain =
  (links: Links) =>
  (step: Turn.TurnStep): TaskStep => ({
    number: step.ordinal,
    memory: "",
    evaluationPreviousGoal: "",
    nextGoal: step.summary,
    url: step.address ?? "",
    screenshotUrl: step.picture === null ? null : links.recording(step.picture),
    actions: actionsOf(step),
    duration: step.ended === undefined ? null : (step.ended.at_ms - step.beganAt_ms) / 1000
  })

/** A turn with its steps as a v2 task. Its agents write no files. */
export const taskWithSteps = (turn: Turn.Turn, steps: ReadonlyArray<Turn.TurnStep>, links: Links): TaskView => ({
  ...taskFromDomain(turn),
  steps: steps.map(stepFromDomain(links)),
  outputFiles: []
})

/** The status of a turn as v2 polls it. */
export const taskStatus = (turn: Turn.Turn): TaskStatusView => {
  const { cost, finishedAt, id, isSuccess, output, status } = taskFromDomain(turn)
  return { id, status, output, finishedAt, isSuccess, cost }
}

/** A session without its turns as v2 shows it. */
export const itemFromDomain = (session: Session.Session, links: Links): SessionItemView => ({
  id: session.id,
  status: session.status,
  liveUrl: session.status === "stopped" ? null : links.live(session.browserId),
  recordingUrl: recordingOf(session, links),
  startedAt: fromMillis(session.createdAt_ms),
  finishedAt: session.finishedAt_ms === null ? null : fromMillis(session.finishedAt_ms),
  persistMemory: session.persistMemory,
  keepAlive: session.keepAlive,
  proxyUsedMb: session.proxyUsedMb,
  proxyCost: session.proxyCost
})

/** A session with its turns as v2 shows it. */
export const fromDomain = ({ session, turns }: SessionWithTurns, links: Links): SessionView => {
  const { keepAlive, persistMemory, proxyCost, proxyUsedMb, ...head } = itemFromDomain(session, links)
  return {
    ...head,
    tasks: turns.map(taskFromDomain),
    publicShareUrl: session.shared ? links.to(sharePath(session.id)) : null,
    persistMemory,
    keepAlive,
    proxyUsedMb,
    proxyCost
  }
}

/** The public share of a session. Views aren't counted. */
export const shareFromDomain = ({ id }: Session.Session, links: Links): ShareView => {
  const shareUrl = links.to(sharePath(id))
  return { shareToken: shareUrl.slice(shareUrl.indexOf("token=") + "token=".length), shareUrl, lastViewedAt: null }
}
