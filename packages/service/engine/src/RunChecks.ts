import * as Effect from "effect/Effect"
import type { SecretToBind } from "./domain/BoundSecret.ts"
import { NotReplayable, type TurnNotFound } from "./domain/Errors.ts"
import * as Turn from "./domain/Turn.ts"
import type { AgentIdentity } from "./ports/Agent.ts"
import type { BrowserPool } from "./ports/BrowserPool.ts"
import { type SecretBoxService, SecretsUnusable } from "./ports/SecretBox.ts"
import type { StoreUnavailable } from "./ports/Store.ts"

interface RunChecksOptions {
  readonly agent: AgentIdentity
  readonly box: SecretBoxService
  readonly pool: BrowserPool["Service"]
  /** Finds a turn that the caller may see. */
  readonly turn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound | StoreUnavailable>
  readonly steps: (turnId: string) => Effect.Effect<ReadonlyArray<Turn.TurnStep>, StoreUnavailable>
}

const hasCall = ({ calls }: Turn.TurnStep) => calls?.some(({ status }) => status === "done") === true

const whyNotReplayable = ({ id, status }: Turn.Turn, isRecorded: boolean): string | null => {
  if (!Turn.isTerminal(status)) return `Run ${id} has not finished: wait for its end, and replay it then`
  if (status !== "completed")
    return `Run ${id} was not completed (status ${status}), and only a completed run can be replayed`
  return isRecorded
    ? null
    : `Run ${id} has no recorded steps, as runs of earlier versions and simulated runs: create it again without replayOf, and replay that run`
}

/** Makes the checks of options that a request wants for a run. */
export const make = ({ agent, box, pool, steps, turn }: RunChecksOptions) => {
  const issueOf = ({ source }: SecretToBind): string | null => {
    if (source.type === "inline") return box.unusable
    return agent.hasSecret?.(source.name) === true
      ? null
      : `This server has no secret with the name ${JSON.stringify(source.name)}`
  }
  return {
    acceptsSecrets: (secrets: ReadonlyArray<SecretToBind>): Effect.Effect<void, SecretsUnusable> =>
      Effect.suspend(() => {
        const message =
          agent.hasSecret === undefined
            ? "This server's agent can't type secrets"
            : (secrets.map(issueOf).find((issue) => issue !== null) ?? null)
        return message === null ? Effect.void : Effect.fail(new SecretsUnusable({ message }))
      }),
    replays: Effect.succeed(agent.replays !== undefined),
    /** Returns the turn that a replay repeats, if the caller may see it and it can be repeated. */
    acceptsReplay: Effect.fnUntraced(function* (of: string) {
      if (agent.replays === undefined) {
        return yield* new NotReplayable({ message: "This server's agent can't replay runs: leave replayOf out" })
      }
      const recorded = yield* turn(of)
      const isRecorded = agent.replays === "all" || (yield* steps(of)).some(hasCall)
      const message = whyNotReplayable(recorded, isRecorded)
      return message === null ? recorded : yield* new NotReplayable({ message })
    }),
    acceptsCountry: (country: string) => Effect.sync(() => pool.countries?.includes(country.toUpperCase()) !== false),
    models: Effect.succeed(agent.models ?? [agent.model]),
    acceptsModel: (model: string) => Effect.sync(() => agent.accepts?.(model) ?? model === agent.model)
  }
}
