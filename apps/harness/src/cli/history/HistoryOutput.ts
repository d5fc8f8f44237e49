import { Night } from "@webagent/nights/Night"
import { Finding, RunStatus } from "@webagent/report/Finding"
import { NightJudgement } from "@webagent/report/NightJudgement"
import * as Schema from "effect/Schema"

/** The output of `history --json`: the nights, oldest first, as stored in the history file. */
export const HistoryOutput = Schema.Struct({ nights: Schema.Array(Schema.toType(Night)) }).annotate({
  identifier: "HistoryOutput"
})

/** The output of `history --judge --json`. */
export const JudgeOutput = Schema.Struct({
  /** The id of the last night. */
  night: Schema.String,
  startedAt: Schema.String,
  status: RunStatus,
  /** Errors, which fail the night, and warnings. */
  findings: Schema.Array(Finding),
  judgement: NightJudgement
}).annotate({ identifier: "JudgeOutput" })
