import type { HTTPValidationError } from "@webagent/contract"
import { Languages } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { invalid } from "./Invalid.ts"

const isTexts = Schema.is(Schema.Array(Schema.String))

/**
 * The languages that a browser announces to pages: `"languages": ["de-DE", "de"]` in a body. The description has no such
 * field; without it, a browser announces those of the server.
 */
export const languages = (
  body: object
): Effect.Effect<{ readonly languages?: ReadonlyArray<string> }, HTTPValidationError> => {
  if (!Predicate.hasProperty(body, "languages") || body.languages === null) return Effect.succeed({})
  const tags = isTexts(body.languages) ? Languages.read(body.languages) : Option.none()
  return Option.match(tags, {
    onNone: () =>
      Effect.fail(invalid(["body", "languages"], "Expected a list of 1 to 10 BCP 47 language tags, such as de-DE")),
    onSome: (languages) => Effect.succeed({ languages })
  })
}
