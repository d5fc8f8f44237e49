import { fromMillis, type HTTPValidationError } from "@webagent/contract"
import type { Session, SessionCreate } from "@webagent/contract/v3"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { enableRecording, profile } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import type { Links } from "../Links.ts"
import * as OutputSchema from "../OutputSchema.ts"
import { recordingOf } from "../SessionRecording.ts"
import { ofTurn } from "../TurnOptions.ts"
import { leftOut, refuseUnsupported } from "../UnsupportedOptions.ts"
import { Decimal, type Message, type SessionRequest, type SessionWithTurns, Turn } from "@webagent/engine"
import { lastTurn, statusFromDomain } from "./SessionStatus.ts"

const noSize = "Only v4 runs can choose the size of their browser (browserSettings)"

/** Refuses the options of a session that this server can't honor. */
const refuseOptions = refuseUnsupported([
  leftOut("workspaceId", "Sessions of this server don't use workspaces"),
  leftOut("proxyCountryCode", "This server's sessions can't choose the country of their proxy"),
  leftOut("browserScreenWidth", noSize),
  leftOut("browserScreenHeight", noSize),
  leftOut("sensitiveData", "Only v4 runs can type secrets (secretBindings), and a task must not contain any"),
  leftOut("enableScheduledTasks", "This server has no scheduled tasks", [false]),
  leftOut("agentmail", "This server has no email inboxes", [false]),
  leftOut("codeMode", "This server's agent has one mode of work", [false]),
  leftOut("cacheScript", "This server's agent has one mode of work", [false]),
  leftOut("useOwnKey", "This server has one model key", [false])
])

/** Converts the body of a v3 create request. */
export const toDomain = Effect.fnUntraced(function* (
  body: SessionCreate
): Effect.fn.Return<SessionRequest, HTTPValidationError> {
  const { task, thinkingLevel = null } = body
  if (thinkingLevel !== null && typeof thinkingLevel !== "string") {
    return yield* invalid(["body", "thinkingLevel"], "Expected a string", "string_type")
  }
  yield* refuseOptions(body)
  const [schema, recording, profiled, turn] = yield* Effect.all([
    OutputSchema.read(body),
    enableRecording(body),
    profile(body),
    ofTurn(body)
  ])
  return { task, modelParams: null, thinkingLevel, ...schema, ...recording, ...profiled, ...turn }
})

/** Converts the body of a v3 create request that names a session: its next task. */
export const followUpToDomain = (sessionId: string, body: SessionCreate): Effect.Effect<Message, HTTPValidationError> =>
  Effect.flatMap(toDomain(body), ({ profileId, recording, task, thinkingLevel, ...options }) =>
    recording === undefined && profileId === undefined && thinkingLevel === null
      ? Effect.succeed({ sessionId, text: task, interrupt: false, ...Struct.omit(options, ["modelParams"]) })
      : Effect.fail(
          invalid(
            ["body"],
            "A session has its profile, its recording and its thinkingLevel from its first task on: leave them out of a follow-up"
          )
        )
  )

/** The cost of all turns together; null while no turn has a known one. */
const costOf = (turns: ReadonlyArray<Turn.Turn>): string | null =>
  turns.reduce<string | null>(
    (sum, { cost }) => (cost === null ? sum : sum === null ? cost : Decimal.add(sum, cost)),
    null
  )

/** True if the last task succeeded; null while a task is open, and for a cancelled one. */
const isSuccessful = (last: Turn.Turn | undefined): boolean | null => {
  if (last === undefined || last.status === "cancelled") return null
  return last.status === "completed" && last.isSuccess !== false
}

const sumOf = (turns: ReadonlyArray<Turn.Turn>, count: (turn: Turn.Turn) => number) =>
  turns.reduce((sum, turn) => sum + count(turn), 0)

/** The fields that published clients read. The total is null while the cost of the model isn't known. */
const published = ({ session, turns }: SessionWithTurns, links: Links) => {
  const last = lastTurn(turns)
  const latest = turns.at(-1)
  const recordingUrl = recordingOf(session, links)
  const cost = costOf(turns)
  return {
    output: last?.output ?? null,
    isTaskSuccessful: isSuccessful(last),
    model: latest?.model ?? null,
    title: turns[0] === undefined ? null : Turn.titleOf(turns[0]),
    stepCount: sumOf(turns, ({ steps }) => steps),
    recordingUrls: recordingUrl === null ? [] : [recordingUrl],
    totalInputTokens: sumOf(turns, ({ tokens }) => tokens?.input ?? 0),
    totalOutputTokens: sumOf(turns, ({ tokens }) => tokens?.output ?? 0),
    totalCostUsd: cost === null ? null : Decimal.add(cost, session.proxyCost),
    outputSchema: latest?.outputSchema ?? null,
    maxCostUsd: latest?.budget?.cost ?? null,
    proxyUsedMb: session.proxyUsedMb,
    llmCostUsd: cost,
    proxyCostUsd: session.proxyCost,
    // this server has no price for browsers
    browserCostUsd: "0"
  }
}

/** A session with its turns as v3 shows it: one status, and the result of the last turn once all are terminal. */
export const fromDomain = (withTurns: SessionWithTurns, links: Links): Session => {
  const { session, turns } = withTurns
  const seen = session.status === "stopped" ? null : session.browserId
  const controlUrl = links.control(seen)
  const moments = turns.flatMap((turn) => [turn.createdAt_ms, turn.startedAt_ms ?? 0, turn.finishedAt_ms ?? 0])
  return {
    id: session.id,
    status: statusFromDomain(withTurns),
    result: lastTurn(turns)?.output ?? null,
    task: turns[0]?.task ?? "",
    thinkingLevel: session.thinkingLevel,
    liveUrl: links.live(seen),
    ...(controlUrl === null ? {} : { controlUrl }),
    createdAt: fromMillis(session.createdAt_ms),
    updatedAt: fromMillis(Math.max(session.createdAt_ms, session.finishedAt_ms ?? 0, ...moments)),
    cost: costOf(turns),
    ...published(withTurns, links)
  }
}
