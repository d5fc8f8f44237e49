import * as Schema from "effect/Schema"
import { orOlder } from "./OrOlder.ts"

/** A request without the ids in its path; `status` is null if no response came. */
export const RequestFacts = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  status: Schema.NullOr(Schema.Int)
})
export type RequestFacts = typeof RequestFacts.Type

/** True if the message is the name of a check. Absent if it is an error's message, and in reports of older versions. */
const isCheck = Schema.optionalKey(Schema.Boolean)

/** Facts about the cause of failed trials. Values that differ between the trials are left out, or a range. */
export const CauseFacts = Schema.Union([
  /** A check saw another value, or the scenario ended in another way that the service doesn't explain. */
  Schema.TaggedStruct("Check", {
    message: Schema.String,
    isCheck,
    expected: Schema.optionalKey(Schema.String),
    actual: Schema.optionalKey(Schema.String),
    /** The last request, if the scenario timed out. */
    lastRequest: Schema.optionalKey(RequestFacts)
  }),
  /** The service reported an error; `message` is that of the check, if all failures are of one. */
  Schema.TaggedStruct("Service", { error: Schema.String, message: Schema.optionalKey(Schema.String), isCheck }),
  /** The service did not respond to a request, or refused it for the moment. */
  Schema.TaggedStruct("Request", RequestFacts.fields),
  Schema.TaggedStruct("LeakedBrowser", {}),
  /** `text` if an oracle of the service reported it in its own words. */
  Schema.TaggedStruct("BrokenInvariant", { invariant: Schema.String, text: Schema.optionalKey(Schema.String) }),
  /** The reason of a trial without a failure, or the sentence that earlier versions stored. */
  Schema.TaggedStruct("Other", { text: Schema.String, service: Schema.optionalKey(Schema.String) })
])
export type CauseFacts = typeof CauseFacts.Type

const Cause = Schema.Struct({
  /** The same for two runs with the same cause: ids, times and ports are left out. */
  key: Schema.String,
  facts: CauseFacts
})

const other = (key: string, text: string, service?: string): typeof Cause.Type => ({
  key,
  facts: { _tag: "Other", text, ...(service === undefined ? {} : { service }) }
})

const Older = Schema.Struct({ key: Schema.String, text: Schema.String, service: Schema.optionalKey(Schema.String) })

/** The cause of failed trials. It also reads the sentences that earlier versions stored. */
export const FailureCause = orOlder(Cause, Schema.Union([Older, Schema.String]), (older) =>
  typeof older === "string" ? other(older, older) : other(older.key, older.text, older.service)
)
export type FailureCause = typeof FailureCause.Type

/** A cause with its number of failures. It also reads the sentence that earlier versions stored. */
export const CountedCause = orOlder(
  Schema.Struct({ cause: FailureCause, count: Schema.Int }),
  Schema.Struct({ text: Schema.String, count: Schema.Int }),
  ({ count, text }) => ({ cause: other(text, text), count })
)
export type CountedCause = typeof CountedCause.Type
