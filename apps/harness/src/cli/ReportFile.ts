import { RunReport } from "@webagent/report/RunReport"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const decodeText = Schema.decodeUnknownEffect(Schema.fromJsonString(RunReport))

/** The report that the text of a file holds; a text of another version is a UserError that names the file. */
export const decode = (path: string, text: string) =>
  Effect.mapError(decodeText(text), ({ message }) =>
    usage(`${path} is not a report of this version: ${message.split("\n")[0]}.`)
  )
