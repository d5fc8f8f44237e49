import type { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { invalid } from "./Invalid.ts"

/** A name, or `*.` and a name; not a URL, a port or a pattern of another kind. */
const isDomain = (text: string) => /^(?:\*\.)?[^\s*/\\:?#@]+$/u.test(text)

const isList = Schema.is(Schema.Array(Schema.String.check(Schema.makeFilter(isDomain))).check(Schema.isMaxLength(1000)))

/** As a browser spells a name: in lower case, with other scripts as ASCII. */
const spelled = (domain: string) => {
  const [, below = "", name = ""] = /^(\*\.)?(.*)$/u.exec(domain) ?? []
  return `${below}${URL.parse(`http://${name}`)?.hostname.replace(/\.$/u, "") ?? name}`
}

/**
 * The domains that a browser may connect to: `"allowedDomains": ["example.com", "*.example.com"]` in a body. The
 * description has no such field; without it a browser connects to all.
 */
export const allowedDomains = (
  body: object
): Effect.Effect<{ readonly allowedDomains?: ReadonlyArray<string> }, HTTPValidationError> => {
  if (!Predicate.hasProperty(body, "allowedDomains") || body.allowedDomains === null) return Effect.succeed({})
  if (isList(body.allowedDomains)) return Effect.succeed({ allowedDomains: body.allowedDomains.map(spelled) })
  const msg = "Expected a list of at most 1000 domains, such as example.com or *.example.com"
  return Effect.fail(invalid(["body", "allowedDomains"], msg))
}
