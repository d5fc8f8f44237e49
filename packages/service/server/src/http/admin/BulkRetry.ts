import {
  type Engine,
  Owner,
  type SafeCreate as Safe,
  type SecretToBind,
  SecretsUnusable,
  StepCall,
  type Turn
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Audit from "../../api/Audit.ts"
import * as SafeCreate from "../../api/SafeCreate.ts"
import { runOf } from "./Conversion.ts"

/** Binds the secrets of a run again. Values of its creator are gone. */
const boundAgain = (secrets: Turn.Turn["secrets"] = []) =>
  Effect.forEach(secrets, ({ alias, domains, server }): Effect.Effect<SecretToBind, SecretsUnusable> =>
    server === null
      ? Effect.fail(
          new SecretsUnusable({
            message: `The value of its secret ${alias} isn't kept: start a new run with the value`
          })
        )
      : Effect.succeed({ alias, domains, source: { type: "server", name: server } })
  )

/** Starts runs like others, for the same owners. */
export const make = (engine: Engine["Service"]) => {
  const again = Effect.fnUntraced(function* (id: string, safe: Safe | undefined) {
    const turn = yield* engine.turn(id.toLowerCase())
    const { session } = yield* engine.session(turn.sessionId)
    const { budget, files, handOff, judge, metadata, model, modelParams, outputSchema, owner, pausesAtCost } = turn
    const { queueTimeout_ms, replay, tags, task } = turn
    const { browser, profileId, recording, thinkingLevel } = session
    const secrets = yield* boundAgain(turn.secrets)
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
      ...(browser === undefined ? {} : { browser }),
      ...(judge === undefined ? {} : { judge }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(pausesAtCost === undefined ? {} : { pausesAtCost }),
      ...(queueTimeout_ms === undefined ? {} : { queueTimeout_ms }),
      ...(replay === undefined ? {} : { replay: { ...replay, ...StepCall.replayOf(replay.of, replay.mayAsk) } }),
      ...(secrets.length === 0 ? {} : { secrets })
    }
    const create = engine.createSession(request, SafeCreate.partOf(safe, turn.id))
    const created = yield* Effect.provideService(create, Owner, owner)
    return { of: id, run: runOf(created.turn), replayed: created.replayed }
  })

  return Effect.fnUntraced(function* (ids: ReadonlyArray<string>, safe: Safe | undefined) {
    yield* Audit.note(ids)
    const started: Array<Effect.Success<ReturnType<typeof again>>> = []
    const notFound: Array<string> = []
    const refused: Array<{ readonly id: string; readonly detail: string }> = []
    for (const id of new Set(ids)) {
      const missing = () => Effect.sync(() => void notFound.push(id))
      const refuse = (detail: string) => Effect.sync(() => void refused.push({ id, detail }))
      yield* again(id, safe).pipe(
        Effect.map((run) => void started.push(run)),
        Effect.catchTags({
          TurnNotFound: missing,
          SessionNotFound: missing,
          AdmissionRefused: ({ message }) => refuse(message),
          ProfileNotFound: () => refuse("Its browser profile was deleted"),
          ProfileUnusable: ({ message }) => refuse(message),
          SecretsUnusable: ({ message }) => refuse(message),
          IdempotencyKeyReused: Effect.die
        })
      )
    }
    return { started, notFound, refused, replayed: started.length > 0 && started.every(({ replayed }) => replayed) }
  })
}
