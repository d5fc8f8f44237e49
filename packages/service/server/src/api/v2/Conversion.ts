import { fromMillis, naiveFromMillis } from "@webagent/contract"
import type { SessionView, TaskItemView } from "@webagent/contract/v2"
import type { SessionWithTurns, Turn } from "@webagent/engine"
import { type LinkTo, recordingPath, sharePath } from "../Links.ts"

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
          failure_reason: turn.judgement.failureReason
        }),
  judgeVerdict: turn.judgement?.verdict ?? null,
  cost: turn.cost,
  suggestions: turn.suggestions
})

/** A session with its turns as v2 shows it; `linkTo` makes its links. */
export const fromDomain = ({ session, turns }: SessionWithTurns, linkTo: LinkTo): SessionView => ({
  id: session.id,
  status: session.status,
  liveUrl: null,
  recordingUrl: session.recording && session.status === "stopped" ? linkTo(recordingPath(session.id)) : null,
  startedAt: fromMillis(session.createdAt_ms),
  finishedAt: session.finishedAt_ms === null ? null : fromMillis(session.finishedAt_ms),
  tasks: turns.map(taskFromDomain),
  publicShareUrl: session.shared ? linkTo(sharePath(session.id)) : null,
  persistMemory: session.persistMemory,
  keepAlive: session.keepAlive,
  proxyUsedMb: session.proxyUsedMb,
  proxyCost: session.proxyCost
})
