import { Identifier } from "@webagent/contract"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { Mark } from "./Run.ts"

const ofRun = { params: { run_id: Identifier }, error: [errors.notFound, errors.unavailable] }

/** The verdict of a person about a run's result, with a note. */
export const SetMark = Schema.Struct({
  verdict: Mark.fields.verdict,
  note: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(2000))))
}).annotate({ identifier: "SetMark" })

/** Opinions of people about runs; a run has one. */
export class MarksGroup extends HttpApiGroup.make("marks").add(
  HttpApiEndpoint.put("set", "/runs/:run_id/mark", { ...ofRun, payload: SetMark, success: Mark }).annotate(
    OpenApi.Summary,
    "Mark a run as right or wrong, with a note"
  ),
  HttpApiEndpoint.delete("remove", "/runs/:run_id/mark", { ...ofRun, success: HttpApiSchema.NoContent }).annotate(
    OpenApi.Summary,
    "Remove the mark of a run"
  )
) {}
