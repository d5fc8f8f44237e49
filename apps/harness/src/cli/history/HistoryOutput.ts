import { Night } from "@webagent/nights/Night"
import { NightJudgement, Tier } from "@webagent/report/NightJudgement"
import * as Schema from "effect/Schema"

/** What `history --json` prints: the nights, oldest first, as the history file has them. */
export const HistoryOutput = Schema.Struct({ nights: Schema.Array(Night) }).annotate({ identifier: "HistoryOutput" })

/** What `history --judge --json` prints. */
export const JudgeOutput = Schema.Struct({
  /** The id of the last night. */
  night: Schema.String,
  startedAt: Schema.String,
  tier: Tier,
  /** Why the night is red, a sentence each. */
  reasons: Schema.Array(Schema.String),
  judgement: NightJudgement
}).annotate({ identifier: "JudgeOutput" })
