import type { HTTPValidationError } from "@webagent/contract"
import type { Session } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { field, languages, profile } from "../ExtensionFields.ts"
import { inField, invalid } from "../Invalid.ts"
import { refuseUnsupported } from "../UnsupportedOptions.ts"

/** Smallest and largest size of a browser's window, in CSS pixels. */
const size = { least: 320, most: 3840 }

const decodeSize = Schema.decodeUnknownOption(
  Schema.Int.check(Schema.isBetween({ minimum: size.least, maximum: size.most }))
)

const sizeField = <const Name extends string>(name: Name) =>
  field(name, decodeSize, `Expected a number of pixels from ${size.least} to ${size.most}`, "int_type")

/** Makes a reader of a window's size from the fields with these names. One of them alone keeps the usual other one. */
export const screen = <const Width extends string, const Height extends string>(width: Width, height: Height) => {
  const widthField = sizeField(width)
  const heightField = sizeField(height)
  return (body: object) =>
    Effect.map(Effect.all([widthField(body), heightField(body)]), ([wide, high]) => {
      const w: number | undefined = (wide as Readonly<Record<string, number>>)[width]
      const h: number | undefined = (high as Readonly<Record<string, number>>)[height]
      return w === undefined && h === undefined ? {} : { screen: { width: w ?? 1280, height: h ?? 720 } }
    })
}

const countryField = field(
  "proxyCountryCode",
  Schema.decodeUnknownOption(Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/u))),
  "Expected a two-letter country code",
  "string_pattern_mismatch"
)

const isTimeZone = (text: string): boolean => {
  // offsets are time zones, too, and no browser starts with one
  if (!/^[A-Za-z]/u.test(text)) return false
  try {
    return Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const decodeText = Schema.decodeUnknownOption(Schema.String.check(Schema.isMaxLength(100)))

const zoneField = field(
  "timeZone",
  (value) => Option.filter(decodeText(value), isTimeZone),
  "Expected the name of a time zone, such as Europe/Berlin"
)

const agentField = field(
  "userAgent",
  // what an HTTP header may have
  Schema.decodeUnknownOption(Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,500}$/u))),
  "Expected 1 to 500 printable ASCII characters"
)

const recordField = field("record", Schema.decodeUnknownOption(Schema.Boolean), "Expected true or false", "bool_type")

const settingsField = field(
  "browserSettings",
  Schema.decodeUnknownOption(Schema.JsonObject),
  "Expected an object",
  "dict_type"
)

const names = new Set([
  "profileId",
  "proxyCountryCode",
  "customProxy",
  "screenWidth",
  "screenHeight",
  "record",
  "languages",
  "timeZone",
  "userAgent"
])

const refuse = refuseUnsupported(
  [
    {
      name: "customProxy",
      issue:
        "This server's browsers can't use a proxy of the request: configure proxies at the server, and leave customProxy out"
    }
  ],
  ["browserSettings"]
)

const screenField = screen("screenWidth", "screenHeight")

/** The settings of the browsers of a run's session. */
interface BrowserSettings {
  readonly recording?: true
  readonly profileId?: string
  readonly browser?: NonNullable<Session.Session["browser"]>
}

/** Reads the settings of a run's browser, and refuses those that this server can't honor. */
export const browserSettings = Effect.fnUntracedEager(function* (
  body: object
): Effect.fn.Return<BrowserSettings, HTTPValidationError> {
  const { browserSettings: settings } = yield* settingsField(body)
  if (settings === undefined) return {}
  yield* refuse(settings)
  const unknown = Object.keys(settings).find((name) => !names.has(name) && settings[name] !== null)
  if (unknown !== undefined) {
    return yield* invalid(
      ["body", "browserSettings", unknown],
      `This server's browsers have no setting ${unknown}: leave it out`
    )
  }
  const [recorded, profiled, sized, country, announced, zone, agent] = yield* Effect.all([
    recordField(settings),
    profile(settings),
    screenField(settings),
    countryField(settings),
    languages(settings),
    zoneField(settings),
    agentField(settings)
  ]).pipe(Effect.mapError((error) => inField("browserSettings", error)))
  const browser = { ...sized, ...country, ...announced, ...zone, ...agent }
  return {
    ...(recorded.record === true ? { recording: true as const } : {}),
    ...profiled,
    ...(Object.keys(browser).length === 0 ? {} : { browser })
  }
})
