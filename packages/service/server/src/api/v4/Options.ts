import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HTTPValidationError } from "@webagent/contract"
import { deduplicateHeader, deduplications } from "@webagent/contract/Wire"
import { field, profile } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import { leftOut, refuseUnsupported, type UnsupportedOption } from "../UnsupportedOptions.ts"

const noCustomProxy: UnsupportedOption = {
  name: "customProxy",
  issue:
    "This server's browsers can't use a proxy of the request: configure proxies at the server, and leave customProxy out"
}

const noFiles = leftOut("attachedFileIds", "This server's runs take no files")
const noSize = "This server's browsers have a fixed size"

/** Refuses the options of a message that this server can't honor. */
export const refuseOfMessage = refuseUnsupported([noFiles])

const refuseOfRun = refuseUnsupported([
  leftOut("workspaceId", "Runs of this server don't use workspaces"),
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
  leftOut("judge", "This server judges all runs or none, as it's configured")
])

const refuseOfSettings = refuseUnsupported(
  [
    noCustomProxy,
    {
      name: "proxyCountryCode",
      issue: "This server's runs can't choose the country of their proxy: send null or leave it out"
    },
    leftOut("screenWidth", noSize),
    leftOut("screenHeight", noSize)
  ],
  ["browserSettings"]
)

/** Refuses the options of a browser create that this server can't honor. */
export const refuseOfBrowser = refuseUnsupported([
  noCustomProxy,
  leftOut("browserScreenWidth", noSize),
  leftOut("browserScreenHeight", noSize),
  {
    name: "allowResizing",
    harmless: [false],
    issue: "This server's browsers have a fixed size: send false or leave allowResizing out"
  },
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

/** Reads a run's profile and whether its browser is recorded, and refuses the options of a run that this server can't honor. */
export const ofRun = Effect.fnUntraced(function* (body: object) {
  yield* refuseOfRun(body)
  const { browserSettings = {} } = yield* settingsField(body)
  yield* refuseOfSettings(browserSettings)
  const { record } = yield* recordField(browserSettings)
  return { ...(record === true ? { recording: true as const } : {}), ...(yield* profile(browserSettings)) }
})

export { ofTurn, sessionId } from "../TurnOptions.ts"

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
