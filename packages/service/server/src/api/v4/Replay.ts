import { ConflictError, RunNotFoundError } from "@webagent/contract"
import type { RunCreate } from "@webagent/contract/v4"
import type { Engine } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { invalid } from "../Invalid.ts"
import * as Options from "./Options.ts"

type Replays = Pick<Engine["Service"], "acceptsReplay">

/**
 * Checks the run that a create replays, if any, and returns the body of the create. A replay without a task has the task
 * and the schema of that run.
 */
export const ofCreate = Effect.fnUntracedEager(function* (engine: Replays, body: RunCreate) {
  const { replay } = yield* Options.replay(body)
  if (replay === undefined) return body
  const { outputSchema, task } = yield* Effect.catchTags(engine.acceptsReplay(replay.of), {
    TurnNotFound: () => Effect.fail(new RunNotFoundError({ detail: "Run not found" })),
    NotReplayable: ({ message }) => Effect.fail(new ConflictError({ detail: message }))
  })
  if (body.task.trim() !== "") return body
  return { ...(outputSchema === null ? {} : { outputSchema }), ...body, task }
})

/** The same for a request of the admin API, which has one error for all of them. */
export const ofStart = (engine: Replays, body: RunCreate) => {
  const refuse = ({ detail }: ConflictError | RunNotFoundError) =>
    Effect.fail(invalid(["body", "replayOf"], String(detail)))
  return Effect.catchTags(ofCreate(engine, body), { RunNotFoundError: refuse, ConflictError: refuse })
}
