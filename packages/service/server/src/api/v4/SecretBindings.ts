import type { HTTPValidationError } from "@webagent/contract"
import type { SecretToBind } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { field } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"

/** Maximum number of secrets of a run, and the length of a value. A shorter value is part of too many other texts to be hidden. */
const most = 20
const length = { least: 4, most: 10_000 }

const Name = Schema.String.check(Schema.isPattern(/^[\w.-]{1,64}$/u))

const Domain = Schema.String.check(
  Schema.isMaxLength(253),
  Schema.isPattern(/^(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/iu)
)

const Binding = Schema.Struct({
  alias: Name,
  source: Schema.Union([
    Schema.Struct({
      type: Schema.Literal("inline"),
      value: Schema.String.check(Schema.isMinLength(length.least), Schema.isMaxLength(length.most))
    }),
    Schema.Struct({ type: Schema.Literal("server"), name: Name })
  ]),
  allowedDomains: Schema.NonEmptyArray(Domain).check(Schema.isMaxLength(100))
})

const bindingsField = field(
  "secretBindings",
  // what is wrong is said without a value
  Schema.decodeUnknownOption(Schema.Array(Binding).check(Schema.isMaxLength(most))),
  `Expected at most ${most} objects with alias (1 to 64 letters, digits, dots, dashes and underscores), source ({ type: "inline", value } with ${length.least} to ${length.most} characters, or { type: "server", name }) and allowedDomains (such as shop.example or *.shop.example)`,
  "list_type"
)

/** True if a request names a secret in a password manager, which this server can't read. */
const isElsewhere = (body: object) =>
  Predicate.hasProperty(body, "secretBindings") &&
  Array.isArray(body.secretBindings) &&
  body.secretBindings.some(
    (one: unknown) =>
      Predicate.hasProperty(one, "source") &&
      Predicate.hasProperty(one.source, "type") &&
      one.source.type === "onepassword"
  )

const refuse = (msg: string) => invalid(["body", "secretBindings"], msg)

/** Reads the secrets that a run's agent may type. No message of a failure has a value. */
export const secretBindings = Effect.fnUntracedEager(function* (body: {
  readonly task: string
}): Effect.fn.Return<{ readonly secrets?: ReadonlyArray<SecretToBind> }, HTTPValidationError> {
  if (isElsewhere(body)) {
    return yield* refuse(
      "This server can't read 1Password: send the value with the type inline, or name a secret of the server"
    )
  }
  const { secretBindings: bindings = [] } = yield* bindingsField(body)
  if (bindings.length === 0) return {}
  const aliases = new Set<string>()
  for (const { alias, source } of bindings) {
    if (aliases.has(alias)) return yield* refuse(`Two secrets have the alias ${alias}`)
    aliases.add(alias)
    // the task is shown in lists, logs and to the model
    if (source.type === "inline" && body.task.includes(source.value)) {
      return yield* invalid(
        ["body", "task"],
        `The task contains the value of the secret ${alias}: write <secret:${alias}> in its place`
      )
    }
  }
  return {
    secrets: bindings.map(({ alias, allowedDomains, source }): SecretToBind => ({
      alias,
      domains: allowedDomains.map((domain) => domain.toLowerCase()),
      source: source.type === "inline" ? { type: "inline", value: Redacted.make(source.value) } : source
    }))
  }
})
