import * as Schema from "effect/Schema"
import { orOlder } from "./OrOlder.ts"

/** Facts about a violated invariant, by the observation that found it. */
export const InvariantFacts = Schema.Union([
  /** A passed trial did not stop a run or session. */
  Schema.TaggedStruct("LeftRunning", { kind: Schema.String, isStopped: Schema.Boolean }),
  /** A trial did not read the result of a run or session. */
  Schema.TaggedStruct("ResultNeverRead", { kind: Schema.String }),
  /** A browser was open at the end, and no trial created it. */
  Schema.TaggedStruct("UnknownBrowser", {}),
  /** A file of the report contained the API key. */
  Schema.TaggedStruct("KeyInFile", { file: Schema.String }),
  /** The journal of the service could not be read. */
  Schema.TaggedStruct("JournalNotRead", { error: Schema.String }),
  /** A hook of a suite failed, or a resource of it was not released, in time if there is no error. */
  Schema.TaggedStruct("SuiteNotReleased", {
    suite: Schema.String,
    hook: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.String),
    limit_ms: Schema.optionalKey(Schema.Number)
  }),
  /** A promise was rejected that the scenario, or no scenario, awaited. */
  Schema.TaggedStruct("PromiseNotAwaited", {
    scenario: Schema.NullOr(Schema.String),
    error: Schema.String,
    /** The line of a suite, `path:line`. */
    where: Schema.optionalKey(Schema.String)
  }),
  /** An oracle of the service reported it in its own words, with the numbers of its journal entries. */
  Schema.TaggedStruct("Reported", { text: Schema.String, entries: Schema.Array(Schema.Int) })
])
export type InvariantFacts = typeof InvariantFacts.Type

const of = {
  /** The violated invariant, such as `browsers-left-open` or `created-twice`. */
  invariant: Schema.String,
  /** The id of the run or browser, where there is one. */
  resource: Schema.NullOr(Schema.String)
}

const Facts = Schema.Struct({ ...of, facts: InvariantFacts })

/** A violated invariant, whatever the checks say. It also reads the sentence that earlier versions stored. */
export const Breach = orOlder(Facts, Schema.Struct({ ...of, sentence: Schema.String }), ({ sentence, ...breach }) => ({
  ...breach,
  facts: { _tag: "Reported" as const, text: sentence, entries: [] }
}))
export type Breach = typeof Breach.Type
