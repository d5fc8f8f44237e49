import type { ValidationError } from "@webagent/contract"
import { misspeltOf } from "@webagent/contract/Spelling"
import * as V2 from "@webagent/contract/v2"
import * as V3 from "@webagent/contract/v3"
import * as V4 from "@webagent/contract/v4"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** The names of an object's fields, each with those of the objects in it; null for a value without names of its own. */
interface Names {
  readonly [name: string]: Names | null
}

/** The names in a text, which are those of values without names of their own. */
const named = (names: string): Names => Object.fromEntries(names.split(" ").map((name) => [name, null]))

const ofBrowser = named("profileId proxyCountryCode browserScreenWidth browserScreenHeight enableRecording")

const handOff = named(Object.keys(V4.HandOff.fields).join(" "))

/** The options of a run; the fields of `browserSettings` are checked where they are read. */
const runOptions: { readonly [Name in keyof V4.RunOptions]-?: Names | null } = {
  attachedFileIds: null,
  browserSettings: null,
  handOff,
  judge: named("context model"),
  maxCostUsd: null,
  metadata: null,
  model: null,
  onMaxCost: null,
  queueTimeout: null,
  replayOf: named("runId asksModel"),
  secretBindings: { ...named("alias allowedDomains"), source: named("type value name") },
  sessionId: null,
  tags: null,
  workspaceId: null
}

const ofRun: Names = { ...runOptions, ...named("agentmail enableRecording outputSchema") }

/** Further fields of bodies: those that this server reads or refuses, and those that published clients send. */
const further: ReadonlyMap<unknown, Names> = new Map<unknown, Names>([
  [V4.RunCreate, ofRun],
  [V4.QueueMessage, { ...ofRun, modelParams: null }],
  [V4.AskPerson, {}],
  [V4.AnswerRun, {}],
  [
    V4.BrowserCreate,
    {
      ...ofBrowser,
      ...named("allowedDomains allowResizing customProxy languages metadata pdfRendererEnabled solveCaptchas timeout")
    }
  ],
  [
    V3.SessionCreate,
    {
      ...ofBrowser,
      ...named("agentmail autoHeal cacheScript codeMode enableScheduledTasks keepAlive maxCostUsd model outputSchema"),
      ...named("queueTimeout sensitiveData sessionId skills useOwnKey workspaceId"),
      handOff
    }
  ],
  [V2.SessionCreate, { ...ofBrowser, ...named("customProxy startUrl") }],
  [
    V2.TaskCreate,
    {
      ...named("allowedDomains flashMode highlightElements judge judgeGroundTruth judgeLlm llm maxSteps metadata"),
      ...named("opVaultId secrets skillIds startUrl systemPromptExtension thinking thinkingLevel vision"),
      sessionSettings: { ...ofBrowser, customProxy: null }
    }
  ]
])

const fieldsOf = (schema: Schema.Top): Names => {
  const { ast } = Schema.toEncoded(schema)
  return ast._tag === "Objects" ? named(ast.propertySignatures.map(({ name }) => String(name)).join(" ")) : {}
}

/** Returns further fields. An endpoint has a schema of its own for JSON, which names the one of the contract. */
const furtherOf = (schema: Schema.Top): Names | undefined =>
  further.get(Predicate.hasProperty(schema, "schema") ? schema.schema : schema)

/** True for a record that may have further fields. An operation with any other checks its fields itself. */
const isOpen = (schema: Schema.Top) => {
  const { ast } = Schema.toEncoded(schema)
  return furtherOf(schema) !== undefined || (ast._tag === "Objects" && ast.indexSignatures.length > 0)
}

const namesOf = new WeakMap<Schema.Top, Names>()

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An unknown field of a body, and the names that its object has. */
interface UnknownField {
  readonly loc: ReadonlyArray<string | number>
  readonly name: string
  readonly names: Names
  readonly object: Readonly<Record<string, unknown>>
}

/** Unknown fields of a body that are checked. Those of clients for other services are far fewer. */
const maxChecked = 100

const unknownFields = (
  value: unknown,
  names: Names,
  loc: ReadonlyArray<string | number>
): ReadonlyArray<UnknownField> => {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => unknownFields(item, names, [...loc, index]))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, inner]): ReadonlyArray<UnknownField> => {
    const within = Object.hasOwn(names, name) ? names[name] : undefined
    if (within) return unknownFields(inner, within, [...loc, name])
    return within === null || inner === null ? [] : [{ loc: [...loc, name], name, names, object: value }]
  })
}

const errorOf = ({ loc, name, names, object }: UnknownField): ReadonlyArray<ValidationError> => {
  const intended = misspeltOf(name, Object.keys(names))
  // a client that sends both knows the field
  if (intended === undefined || Object.hasOwn(object, intended)) return []
  const msg = `"${name}" isn't a field of this operation. Did you mean "${intended}"?`
  return [{ loc, msg, type: "extra_forbidden" }]
}

/**
 * Returns an entry for each field of a body that is almost certainly a misspelling of one that the operation has. Such a
 * field would have no effect: a run whose limit is `max_cost_usd` could cost more. Any other unknown field is left alone,
 * because clients for other services send fields that this server doesn't have. Only the first 100 unknown fields are
 * checked, because a body of 1 MiB has room for 100,000.
 */
export const misspeltFields = (schema: Schema.Top, body: unknown): ReadonlyArray<ValidationError> => {
  const names = namesOf.get(schema) ?? (isOpen(schema) ? { ...fieldsOf(schema), ...furtherOf(schema) } : {})
  namesOf.set(schema, names)
  return isRecord(body) ? unknownFields(body, names, ["body"]).slice(0, maxChecked).flatMap(errorOf) : []
}
