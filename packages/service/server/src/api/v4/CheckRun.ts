import type { HTTPValidationError } from "@webagent/contract"
import type { Engine, SessionRequest } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { inField, invalid } from "../Invalid.ts"
import { checkModel } from "../TurnOptions.ts"

const checked = Effect.fnUntraced(function* (
  engine: Engine["Service"],
  { browser, judge, model, secrets }: Pick<SessionRequest, "browser" | "judge" | "model" | "secrets">
) {
  yield* checkModel(engine, model)
  yield* Effect.mapError(checkModel(engine, judge?.model ?? undefined), (error) => inField("judge", error))
  const country = browser?.proxyCountryCode
  if (country !== undefined && !(yield* engine.acceptsCountry(country))) {
    return yield* invalid(
      ["body", "browserSettings", "proxyCountryCode"],
      `This server has no proxy in ${country.toUpperCase()}: send null or leave proxyCountryCode out`
    )
  }
  if (secrets === undefined) return
  yield* Effect.mapError(engine.acceptsSecrets(secrets), ({ message }) => invalid(["body", "secretBindings"], message))
})

/** Refuses a model, a judge's model, secrets or a proxy country that the server doesn't have. */
export const check = (
  engine: Engine["Service"],
  run: Pick<SessionRequest, "browser" | "judge" | "model" | "secrets">
): Effect.Effect<void, HTTPValidationError> =>
  // most runs name none of them
  run.browser === undefined && run.judge === undefined && run.model === undefined && run.secrets === undefined
    ? Effect.void
    : checked(engine, run)
