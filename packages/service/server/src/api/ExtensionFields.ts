import type { HTTPValidationError } from "@webagent/contract"
import { Languages } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { invalid } from "./Invalid.ts"

/** Makes a reader of a body's field that the description doesn't have. An absent field and null have no value. */
export const field =
  <const Name extends string, A>(
    name: Name,
    decode: (value: unknown) => Option.Option<A>,
    expected: string,
    type?: string
  ) =>
  (body: object): Effect.Effect<{ readonly [Key in Name]?: A }, HTTPValidationError> => {
    if (!Predicate.hasProperty(body, name) || body[name] === null) return Effect.succeed({})
    return Option.match(decode(body[name]), {
      onNone: () => Effect.fail(invalid(["body", name], expected, type)),
      onSome: (value) => Effect.succeed({ [name]: value } as { readonly [Key in Name]?: A })
    })
  }

const recordingField = field(
  "enableRecording",
  Schema.decodeUnknownOption(Schema.Boolean),
  "Expected true or false",
  "bool_type"
)

/** Reads whether a create enables a recording: the description says that it can, and not how. */
export const enableRecording = (body: object): Effect.Effect<{ readonly recording?: true }, HTTPValidationError> =>
  Effect.mapEager(recordingField(body), ({ enableRecording }) => (enableRecording === true ? { recording: true } : {}))

const profileField = field(
  "profileId",
  Schema.decodeUnknownOption(Schema.NonEmptyString),
  "Expected the id of a profile"
)

/** Reads the profile that a browser starts with. */
export const profile = (body: object): Effect.Effect<{ readonly profileId?: string }, HTTPValidationError> =>
  Effect.mapEager(profileField(body), ({ profileId }) =>
    profileId === undefined ? {} : { profileId: profileId.toLowerCase() }
  )

const decodeTexts = Schema.decodeUnknownOption(Schema.Array(Schema.String))

/** Reads the languages that a browser announces to pages. Without them, it announces those of the server. */
export const languages = field(
  "languages",
  (value) => Option.flatMap(decodeTexts(value), Languages.read),
  "Expected a list of 1 to 10 BCP 47 language tags, such as de-DE"
)

const minutesField = field(
  "timeout",
  Schema.decodeUnknownOption(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 240 }))),
  "Expected a number of minutes from 1 to 240"
)

/** Reads the time after which a browser stops by itself. Without it, the server's limit holds. */
export const lifetime = (body: object): Effect.Effect<{ readonly lifetime_ms?: number }, HTTPValidationError> =>
  Effect.mapEager(minutesField(body), ({ timeout }) =>
    timeout === undefined ? {} : { lifetime_ms: Math.round(timeout * 60_000) }
  )

/** Number of pairs and of characters of a browser's metadata. */
const mostPairs = 10
const mostCharacters = 500

const Metadata = Schema.Record(Schema.String, Schema.String).check(
  Schema.makeFilter((pairs: Readonly<Record<string, string>>) => {
    const entries = Object.entries(pairs)
    return entries.length <= mostPairs && entries.every((pair) => pair.every((text) => text.length <= mostCharacters))
  })
)

/** Reads the texts that a creator attaches to a browser. */
export const metadata = field(
  "metadata",
  Schema.decodeUnknownOption(Metadata),
  `Expected at most ${mostPairs} pairs of texts of at most ${mostCharacters} characters`,
  "dict_type"
)

/** Returns true for a name, or `*.` and a name; not for a URL, a port or a pattern of another kind. */
const isDomain = (text: string) => /^(?:\*\.)?[^\s*/\\:?#@]+$/u.test(text)

const decodeDomains = Schema.decodeUnknownOption(
  Schema.Array(Schema.String.check(Schema.makeFilter(isDomain))).check(Schema.isMaxLength(1000))
)

/** Spells a name as a browser does: in lower case, with other scripts as ASCII. */
const spelled = (domain: string) => {
  const [, wildcard = "", name = ""] = /^(\*\.)?(.*)$/u.exec(domain) ?? []
  return `${wildcard}${URL.parse(`http://${name}`)?.hostname.replace(/\.$/u, "") ?? name}`
}

/** Reads the domains that a browser may connect to. Without them, it connects to all. */
export const allowedDomains = field(
  "allowedDomains",
  (value) => Option.map(decodeDomains(value), (domains) => domains.map(spelled)),
  "Expected a list of at most 1000 domains, such as example.com or *.example.com"
)
