import type { HTTPValidationError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { enableRecording, field } from "../ExtensionFields.ts"
import * as OutputSchema from "../OutputSchema.ts"
import { leftOut, refuseUnsupported } from "../UnsupportedOptions.ts"

const noSecrets = "Only v4 runs can type secrets (secretBindings), and a task must not contain any"
const noSkills = "This server has no skills"
const noJudge = "Only v4 runs can choose their judge (judge)"
const noModes = "This server's agent has one mode of work"

/** Refuses the options of a task that this server can't honor. */
const refuseOfTask = refuseUnsupported([
  leftOut("startUrl", "This server's agents open the addresses that the task names"),
  leftOut("maxSteps", "This server limits the steps of all tasks alike (--max-steps)"),
  leftOut("secrets", noSecrets),
  leftOut("opVaultId", noSecrets),
  leftOut("allowedDomains", "This server's tasks can't be kept to some domains"),
  leftOut("systemPromptExtension", "This server's agent has a fixed system prompt, so put it into the task"),
  leftOut("skillIds", noSkills),
  { name: "metadata", mayBeEmpty: true, issue: "This server keeps no metadata of tasks: leave metadata out" },
  leftOut("judge", noJudge, [false]),
  leftOut("judgeGroundTruth", noJudge),
  leftOut("judgeLlm", noJudge),
  leftOut("flashMode", noModes, [false]),
  leftOut("thinking", noModes, [false]),
  leftOut("thinkingLevel", noModes),
  leftOut("vision", noModes, [true])
])

const noSize = "Only v4 runs can choose the size of their browser (browserSettings)"
const noProfile = "This server has no browser profiles for tasks"

/** The options of a browser, in a session and in the settings of a task. */
const ofBrowser = [
  leftOut("profileId", noProfile),
  leftOut("proxyCountryCode", "This server's tasks can't choose the country of their proxy"),
  leftOut("browserScreenWidth", noSize),
  leftOut("browserScreenHeight", noSize),
  leftOut("customProxy", "This server's browsers can't use a proxy of the request")
]

/** Refuses the options of a session that this server can't honor. */
export const refuseOfSession = refuseUnsupported([
  leftOut("startUrl", "This server's agents open the addresses that the task names"),
  ...ofBrowser
])

const refuseOfSettings = refuseUnsupported(ofBrowser, ["sessionSettings"])

const settingsField = field(
  "sessionSettings",
  Schema.decodeUnknownOption(Schema.JsonObject),
  "Expected an object",
  "dict_type"
)

const schemaField = field(
  "structuredOutput",
  Schema.decodeUnknownOption(Schema.fromJsonString(Schema.JsonObject)),
  "Expected a JSON Schema as JSON text: an object"
)

const modelField = field("llm", Schema.decodeUnknownOption(Schema.NonEmptyString), "Expected a model", "string_type")

/** Refuses settings of a browser for a task of a session that exists: the session has its browser. */
export const refuseOfFollowUp = refuseUnsupported([
  { name: "sessionSettings", issue: "A session has its settings from the start: leave sessionSettings out" }
])

/** Reads the options of a task, and refuses those that this server can't honor. */
export const ofTask = Effect.fnUntraced(function* (
  body: object
): Effect.fn.Return<
  { readonly recording?: true; readonly outputSchema?: Schema.JsonObject; readonly model?: string },
  HTTPValidationError
> {
  yield* refuseOfTask(body)
  const { sessionSettings = {} } = yield* settingsField(body)
  yield* refuseOfSettings(sessionSettings)
  const recording = yield* enableRecording(sessionSettings)
  const { structuredOutput } = yield* schemaField(body)
  yield* OutputSchema.check(structuredOutput, "structuredOutput")
  const { llm } = yield* modelField(body)
  return {
    ...recording,
    ...(structuredOutput === undefined ? {} : { outputSchema: structuredOutput }),
    ...(llm === undefined ? {} : { model: llm })
  }
})
