import { decimalOf, type HTTPValidationError } from "@webagent/contract"
import { HandOff } from "@webagent/contract/v4"
import { type Engine, Question } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { field } from "./ExtensionFields.ts"
import { invalid } from "./Invalid.ts"
import { handOffOf } from "./RunWaits.ts"

/** A positive amount in USD, as a number or as text. */
const amount = (value: unknown): Option.Option<string> => {
  const text = typeof value === "number" ? decimalOf(value) : value
  return typeof text === "string" && /^\d+(?:\.\d+)?$/u.test(text) && /[1-9]/u.test(text)
    ? Option.some(text)
    : Option.none()
}

const maxCost = field("maxCostUsd", amount, 'Expected an amount in USD above 0, such as 0.5 or "0.50"', "decimal_type")

const modelField = field(
  "model",
  Schema.decodeUnknownOption(Schema.NonEmptyString),
  "Expected the name of a model",
  "string_type"
)

/** Names the models that a request may have. */
const oneOf = (models: ReadonlyArray<string>) => (models.length === 1 ? models.join("") : `one of ${models.join(", ")}`)

/** Refuses a model that the server's agent doesn't accept; `name` is the field that has it. */
export const checkModel = (
  engine: Engine["Service"],
  model: string | undefined,
  name = "model"
): Effect.Effect<void, HTTPValidationError> =>
  model === undefined
    ? Effect.void
    : Effect.flatMap(Effect.all([engine.acceptsModel(model), engine.models]), ([accepts, models]) =>
        accepts
          ? Effect.void
          : Effect.fail(
              invalid(
                ["body", name],
                `This server has no model ${JSON.stringify(model.slice(0, 100))}: leave ${name} out, or send ${oneOf(models)}`
              )
            )
      )

/** Longest time that a run may wait for a free browser, in seconds. */
const longestQueue_s = 3600

const queueField = field(
  "queueTimeout",
  Schema.decodeUnknownOption(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: longestQueue_s }))),
  `Expected a number of seconds from 0 to ${longestQueue_s}`
)

const handOffField = field(
  "handOff",
  Schema.decodeUnknownOption(HandOff),
  "Expected an object with timeout (1 to 86400 seconds), whenUnanswered (fail, skip or continue) and pausesTimeLimit (true or false), or some of them"
)

/**
 * Reads a run's model, how long it may wait for a free browser, how it hands over to people, and the limit of its cost.
 * The agent stops before it exceeds that limit.
 */
export const ofTurn = Effect.fnUntracedEager(function* (body: object) {
  const { maxCostUsd } = yield* maxCost(body)
  const model = yield* modelField(body)
  const { queueTimeout } = yield* queueField(body)
  const { handOff } = yield* handOffField(body)
  return {
    ...model,
    ...(handOff === undefined ? {} : { handOff: { ...Question.defaultHandOff, ...handOffOf(handOff) } }),
    ...(queueTimeout === undefined ? {} : { queueTimeout_ms: Math.round(queueTimeout * 1000) }),
    ...(maxCostUsd === undefined ? {} : { budget: { cost: maxCostUsd, tokens: null, duration_ms: null } })
  }
})

const sessionField = field(
  "sessionId",
  Schema.decodeUnknownOption(Schema.NonEmptyString),
  "Expected the id of a session",
  "string_type"
)

/** Reads the session that a run continues; undefined for a run in a session of its own. */
export const sessionId = (body: object) =>
  Effect.mapEager(sessionField(body), ({ sessionId }) => sessionId?.toLowerCase())
