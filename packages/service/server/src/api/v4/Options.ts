import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { HTTPValidationError } from "@webagent/contract"
import { deduplicateHeader, deduplications } from "@webagent/contract/Wire"
import { type SessionRequest, StepCall } from "@webagent/engine"
import { field, metadata } from "../ExtensionFields.ts"
import { invalid } from "../Invalid.ts"
import { secretBindings } from "./SecretBindings.ts"
import { leftOut, refuseUnsupported } from "../UnsupportedOptions.ts"

const noFiles = leftOut("attachedFileIds", "This server's runs take no files")

/** Refuses the options of a message that this server can't honor. */
export const refuseOfMessage = refuseUnsupported([
  noFiles,
  ...["maxCostUsd", "onMaxCost", "secretBindings", "judge", "model", "modelParams", "browserSettings", "replayOf"].map(
    (name) => leftOut(name, "A queued message can't have this option, but POST /runs with a sessionId can")
  )
])

const refuseOfRun = refuseUnsupported([
  leftOut("workspaceId", "Runs of this server don't use workspaces"),
  noFiles,
  {
    name: "agentmail",
    harmless: [false],
    issue: "This server has no email inboxes: send false or leave agentmail out"
  }
])

/** Refuses the options of a browser create that this server can't honor. */
export const refuseOfBrowser = refuseUnsupported([
  leftOut("customProxy", "This server's browsers can't use a proxy of the request, only those of the server"),
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

/** The judge of a run: true, or an object, has one check the result; false doesn't. */
const Judge = Schema.Union([
  Schema.Boolean,
  Schema.Struct({
    context: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(10_000)))),
    model: Schema.optionalKey(Schema.NullOr(Schema.NonEmptyString))
  })
])

const judgeField = field(
  "judge",
  Schema.decodeUnknownOption(Judge),
  "Expected true, false or an object with context (at most 10000 characters) and model, or one of them"
)

const judge = (body: object) =>
  Effect.mapEager(judgeField(body), ({ judge }): Pick<SessionRequest, "judge"> => {
    if (judge === undefined) return {}
    if (typeof judge === "boolean") return { judge: { isOn: judge, context: null, model: null } }
    return { judge: { isOn: true, context: judge.context ?? null, model: judge.model ?? null } }
  })

const pauseField = field(
  "onMaxCost",
  Schema.decodeUnknownOption(Schema.Literals(["fail", "pause"])),
  "Expected fail or pause"
)

const onMaxCost = Effect.fnUntracedEager(function* (body: object) {
  const { onMaxCost } = yield* pauseField(body)
  if (onMaxCost !== "pause") return {}
  if (!Predicate.hasProperty(body, "maxCostUsd") || body.maxCostUsd === null) {
    return yield* invalid(["body", "onMaxCost"], "Only a run with a limit can wait at it: send maxCostUsd, too")
  }
  return { pausesAtCost: true }
})

const replayField = field(
  "replayOf",
  Schema.decodeUnknownOption(
    Schema.Union([
      Schema.NonEmptyString,
      Schema.Struct({ runId: Schema.NonEmptyString, asksModel: Schema.optionalKey(Schema.Boolean) })
    ])
  ),
  "Expected the id of a run, or an object with runId and asksModel (true or false)"
)

/** Reads the run that a create replays. */
export const replay = (body: object) =>
  Effect.mapEager(replayField(body), ({ replayOf }): Pick<SessionRequest, "replay"> => {
    if (replayOf === undefined) return {}
    const { asksModel = true, runId } = typeof replayOf === "string" ? { runId: replayOf } : replayOf
    return { replay: StepCall.replayOf(runId.toLowerCase(), asksModel) }
  })

const Tags = Schema.Array(
  Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64), Schema.isPattern(/^[^,\p{Cc}]+$/u))
).check(Schema.isMaxLength(20))

const tagsField = field(
  "tags",
  Schema.decodeUnknownOption(Tags),
  "Expected at most 20 texts of 1 to 64 characters without commas",
  "list_type"
)

/** Reads the options of a run that are its own, also in a session that exists. */
export const ofRun = Effect.fnUntracedEager(function* (body: { readonly task: string }) {
  yield* refuseOfRun(body)
  const judged = yield* judge(body)
  const paused = yield* onMaxCost(body)
  const { tags } = yield* tagsField(body)
  const texts = yield* metadata(body)
  const bound = yield* secretBindings(body)
  const repeated = yield* replay(body)
  return {
    ...judged,
    ...paused,
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    ...texts,
    ...bound,
    ...repeated
  }
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
