import * as Schema from "effect/Schema"

/** The reason why a night isn't compared with another one. */
export const Ineligibility = Schema.Literals(["OtherTarget", "OtherTrials", "Partial", "Later", "Other"])
export type Ineligibility = typeof Ineligibility.Type
