import { FaultPlan, fieldIssues, line, oracles, PlainTimes, Profile, TimeMode } from "@webagent/control"
import { isHeaderName, publicUrlOf, TrustedProxies } from "@webagent/server"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SimulatedOptions } from "./Parts.ts"

const such = (expected: string, is: (value: unknown) => boolean) =>
  Schema.Unknown.check(Schema.makeFilter(is, { expected }))

const isText = (value: unknown) => typeof value === "string" && value !== ""
const isTexts = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isText)
const isBetween = (least: number, most: number) => (value: unknown) =>
  typeof value === "number" && value >= least && value <= most
const isInteger = (least: number, most: number) => (value: unknown) =>
  Number.isInteger(value) && isBetween(least, most)(value)

const host = such("an address such as 127.0.0.1", isText)
const port = such("a port from 0 to 65535", isInteger(0, 65_535))

/** Schemas of the options. Profiles and fault plans are checked as a file has them, their times as text. */
const fields: { readonly [Key in keyof Required<SimulatedOptions>]: Schema.Codec<unknown> } = {
  port,
  host,
  allowedHosts: such('a list of names such as ["app.test"]', isTexts),
  publicUrl: such(
    "an address such as https://agent.example",
    (value) => isText(value) && Option.isSome(publicUrlOf(String(value)))
  ),
  trustProxy: such(
    'a list of addresses and networks such as ["10.0.0.5", "10.1.0.0/16"]',
    (value) => isTexts(value) && Result.isSuccess(TrustedProxies.fromTexts(value as ReadonlyArray<string>))
  ),
  apiKeyHeader: such(
    "the name of a header, such as X-API-Key",
    (value) => isText(value) && isHeaderName(String(value))
  ),
  apiKeys: such('a list of keys such as ["wak_test"]', isTexts),
  linkTokens: such("a Layer of LinkTokens", Layer.isLayer),
  seed: such("a number", Number.isFinite),
  profile: Schema.Union([Schema.String, Profile]).annotate({
    expected: 'the name of a preset such as "flaky", or a profile'
  }),
  turnDuration: such('a time such as "2 seconds", or milliseconds as a number', (value) =>
    Option.isSome(Duration.fromInput(value as Duration.Input))
  ),
  failureRate: such("a number from 0 to 1", isBetween(0, 1)),
  journal: Schema.Struct({ capacity: Schema.optional(such("0 or more rows", isInteger(0, Infinity))) }),
  faults: FaultPlan,
  time: TimeMode.annotate({ expected: 'an object such as { mode: "manual" }' }),
  console: such("true or false", (value) => typeof value === "boolean"),
  control: Schema.Struct({
    key: such("a text", isText),
    port: Schema.optional(port),
    host: Schema.optional(host)
  })
}

const optionsOf = (all: Readonly<Record<string, Schema.Codec<unknown>>>) =>
  Schema.Struct(Object.fromEntries(Object.entries(all).map(([name, schema]) => [name, Schema.optional(schema)])))

const allow = such(
  `a list of oracles such as ["runs-left-running"]; they are ${oracles.join(", ")}`,
  (value) => Array.isArray(value) && value.every((one) => oracles.some((oracle) => oracle === one))
)

const calls = {
  "simulate()": optionsOf({ ...fields, virtualTime: fields.console }),
  "reset()": optionsOf({ seed: fields.seed }),
  "verdict()": optionsOf({ allow }),
  "assertClean()": optionsOf({ allow })
}

/** Refuses options that are misspelt or wrong, with a line for each: no compiler has looked at those of plain JavaScript. */
export const check = (call: keyof typeof calls, options: unknown): void => {
  const checkedOptions = typeof options === "object" && options !== null ? PlainTimes.writtenOptions(options) : options
  const checked = Schema.decodeUnknownResult(calls[call], { errors: "all", onExcessProperty: "error" })(checkedOptions)
  if (Result.isSuccess(checked)) return
  const lines = fieldIssues(checked.failure.issue, checkedOptions).map((issue) => line(issue).replace(/[^?]$/u, "$&."))
  throw new TypeError(lines.map((text) => `${call}: ${text}`).join("\n"))
}
