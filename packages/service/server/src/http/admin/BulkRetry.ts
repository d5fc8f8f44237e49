import { type Engine, Owner } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Audit from "../../api/Audit.ts"
import { runOf } from "./Conversion.ts"

/** Starts runs like others, for the same owners. */
export const make = (engine: Engine["Service"]) => {
  const again = Effect.fnUntraced(function* (id: string) {
    const turn = yield* engine.turn(id.toLowerCase())
    const { session } = yield* engine.session(turn.sessionId)
    const { budget, files, handOff, model, modelParams, outputSchema, owner, queueTimeout_ms, tags, task } = turn
    const { profileId, recording, thinkingLevel } = session
    // a model of before, which the agent no longer has, gives way to the current one
    const hasModel = yield* engine.acceptsModel(model)
    const request = {
      task,
      modelParams,
      outputSchema,
      thinkingLevel,
      recording,
      tags,
      budget,
      ...(hasModel ? { model } : {}),
      ...(profileId === null ? {} : { profileId }),
      ...(files === undefined ? {} : { files }),
      ...(handOff === undefined ? {} : { handOff }),
      ...(queueTimeout_ms === undefined ? {} : { queueTimeout_ms })
    }
    const created = yield* Effect.provideService(engine.createSession(request), Owner, owner)
    return { of: id, run: runOf(created.turn) }
  })

  return Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    yield* Audit.note(ids)
    const started: Array<Effect.Success<ReturnType<typeof again>>> = []
    const notFound: Array<string> = []
    const refused: Array<{ readonly id: string; readonly detail: string }> = []
    for (const id of new Set(ids)) {
      const missing = () => Effect.sync(() => void notFound.push(id))
      const refuse = (detail: string) => Effect.sync(() => void refused.push({ id, detail }))
      yield* again(id).pipe(
        Effect.map((run) => void started.push(run)),
        Effect.catchTags({
          TurnNotFound: missing,
          SessionNotFound: missing,
          AdmissionRefused: ({ message }) => refuse(message),
          ProfileNotFound: () => refuse("Its browser profile was deleted"),
          ProfileUnusable: ({ message }) => refuse(message),
          IdempotencyKeyReused: Effect.die
        })
      )
    }
    return { started, notFound, refused }
  })
}
