import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { decimalOf, type HTTPValidationError } from "@webagent/contract"
import { deduplicateHeader, deduplications } from "@webagent/contract/Wire"
import { field } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import { refuseUnsupported, type UnsupportedOption } from "../UnsupportedOptions.ts"

const noProfiles: UnsupportedOption = {
  name: "profileId",
  issue: "This server has no browser profiles: leave profileId out"
}

const noCustomProxy: UnsupportedOption = {
  name: "customProxy",
  issue:
    "This server's browsers can't use a proxy of the request: configure proxies at the server, and leave customProxy out"
}

const noFiles: UnsupportedOption = {
  name: "attachedFileIds",
  issue: "This server's runs take no files: leave attachedFileIds out"
}

/** Refuses the options of a message that this server can't honor. */
export const refuseOfMessage = refuseUnsupported([noFiles])

const refuseOfRun = refuseUnsupported([
  { name: "workspaceId", issue: "This server has no workspaces: leave workspaceId out" },
  noFiles,
  {
    name: "secretBindings",
    issue: "This server's agents can't type secrets: leave secretBindings out, and don't put secrets into the task"
  },
  {
    name: "agentmail",
    harmless: [false],
    issue: "This server has no email inboxes: send false or leave agentmail out"
  },
  { name: "judge", issue: "This server judges all runs or none, as it's configured: leave judge out" }
])

const refuseOfSettings = refuseUnsupported(
  [
    noProfiles,
    noCustomProxy,
    {
      name: "proxyCountryCode",
      issue: "This server's runs can't choose the country of their proxy: send null or leave it out"
    },
    ...["screenWidth", "screenHeight"].map((name) => ({
      name,
      issue: `This server's browsers have a fixed size: leave ${name} out`
    }))
  ],
  ["browserSettings"]
)

/** Refuses the options of a browser create that this server can't honor. */
export const refuseOfBrowser = refuseUnsupported([
  noProfiles,
  noCustomProxy,
  ...["browserScreenWidth", "browserScreenHeight"].map((name) => ({
    name,
    issue: `This server's browsers have a fixed size: leave ${name} out`
  })),
  {
    name: "solveCaptchas",
    harmless: [false],
    issue: "This server doesn't solve captchas: send false or leave solveCaptchas out"
  },
  {
    name: "pdfRendererEnabled",
    harmless: [true],
    issue: "This server's browsers always render PDFs: send true or leave pdfRendererEnabled out"
  }
])

const settingsField = field(
  "browserSettings",
  Schema.decodeUnknownOption(Schema.JsonObject),
  "Expected an object",
  "dict_type"
)

const recordField = field("record", Schema.decodeUnknownOption(Schema.Boolean), "Expected true or false", "bool_type")

/** Reads whether a run's browser is recorded, and refuses the options of a run that this server can't honor. */
export const ofRun = Effect.fnUntraced(function* (body: object) {
  yield* refuseOfRun(body)
  const { browserSettings = {} } = yield* settingsField(body)
  yield* refuseOfSettings(browserSettings)
  const { record } = yield* recordField(browserSettings)
  return record === true ? { recording: true as const } : {}
})

/** A positive amount in USD, as a number or as text. */
const amount = (value: unknown): Option.Option<string> => {
  const text = typeof value === "number" ? decimalOf(value) : value
  return typeof text === "string" && /^\d+(?:\.\d+)?$/u.test(text) && /[1-9]/u.test(text)
    ? Option.some(text)
    : Option.none()
}

const maxCost = field("maxCostUsd", amount, 'Expected an amount in USD above 0, such as 0.5 or "0.50"', "decimal_type")

const modelField = field(
  "model",
  Schema.decodeUnknownOption(Schema.NonEmptyString),
  "Expected the name of a model",
  "string_type"
)

/** Reads a run's model, and the limit of its cost. The agent stops before it exceeds the limit. */
export const ofTurn = (body: object) =>
  Effect.zipWith(maxCost(body), modelField(body), ({ maxCostUsd }, model) => ({
    ...model,
    ...(maxCostUsd === undefined ? {} : { budget: { cost: maxCostUsd, tokens: null, duration_ms: null } })
  }))

const sessionField = field(
  "sessionId",
  Schema.decodeUnknownOption(Schema.NonEmptyString),
  "Expected the id of a session",
  "string_type"
)

/** Reads the session that a run continues; undefined for a run in a session of its own. */
export const sessionId = (body: object) => Effect.map(sessionField(body), ({ sessionId }) => sessionId?.toLowerCase())

/** Reads the header that asks for one of several equal messages. */
export const deduplication = (
  header: string | undefined
): Effect.Effect<{ readonly deduplicate?: true }, HTTPValidationError> => {
  if (header === undefined) return Effect.succeed({})
  return (deduplications as ReadonlyArray<string>).includes(header)
    ? Effect.succeed({ deduplicate: true })
    : Effect.fail(
        invalid(
          ["header", deduplicateHeader],
          `This server deduplicates messages with ${deduplications.join(", ")} only`
        )
      )
}
