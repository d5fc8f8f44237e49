import { fromMillis, naiveFromMillis } from "@webagent/contract"
import type { SessionView, TaskItemView } from "@webagent/contract/v2"
import type { SessionWithTurns, Turn } from "@webagent/engine"
import { type Links, recordingPath, sharePath } from "../Links.ts"

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

/** Address of a stopped session's recording: that of its browser, if it had one that could be recorded. */
const recordingOf = ({ browserId, id, recording, status }: SessionWithTurns["session"], links: Links) => {
  if (!recording || status !== "stopped") return null
  return (browserId === null ? null : links.recording(browserId)) ?? links.to(recordingPath(id))
}

/** A session with its turns as v2 shows it. */
export const fromDomain = ({ session, turns }: SessionWithTurns, links: Links): SessionView => ({
  id: session.id,
  status: session.status,
  liveUrl: session.status === "stopped" ? null : links.live(session.browserId),
  recordingUrl: recordingOf(session, links),
  startedAt: fromMillis(session.createdAt_ms),
  finishedAt: session.finishedAt_ms === null ? null : fromMillis(session.finishedAt_ms),
  tasks: turns.map(taskFromDomain),
  publicShareUrl: session.shared ? links.to(sharePath(session.id)) : null,
  persistMemory: session.persistMemory,
  keepAlive: session.keepAlive,
  proxyUsedMb: session.proxyUsedMb,
  proxyCost: session.proxyCost
})
