import { Entry } from "@webagent/nights/Quarantine"
import { Verdict } from "@webagent/report/Verdict"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"

/** The latest result of a scenario, of a run or a recorded night. */
export const LastResult = Schema.Struct({
  verdict: Verdict,
  passed: Schema.Int,
  scored: Schema.Int,
  at: Schema.String,
  /** Id of the run, if its report is there. */
  run: Schema.NullOr(Schema.String)
}).annotate({ identifier: "LastResult" })
export type LastResult = typeof LastResult.Type

/** A scenario of a suite file. */
export const SuiteScenario = Schema.Struct({
  name: Schema.String,
  tags: Schema.Array(Schema.String),
  needs: Schema.Array(Schema.String),
  /** Who is asked about it; null without an owner. */
  owner: Schema.NullOr(Schema.String),
  trials: Schema.Int,
  /** Run only this scenario, and others that say so. */
  only: Schema.Boolean,
  /** The reason why it is skipped; null if it runs. */
  skip: Schema.NullOr(Schema.String),
  /** For all its trials, an exact decimal; null without one. */
  budget_usd: Schema.NullOr(Schema.String),
  /** True if it may cost money at a service that isn't simulated. */
  mayCost: Schema.Boolean,
  /** File and line; null if they are unknown. */
  where: Schema.NullOr(Schema.String),
  last: Schema.NullOr(LastResult),
  /** Its entry in the quarantine file; null if it has none. */
  quarantine: Schema.NullOr(Entry)
}).annotate({ identifier: "SuiteScenario" })
export type SuiteScenario = typeof SuiteScenario.Type

/** A suite file, or a built-in suite. */
export const SuiteFile = Schema.Struct({
  /** The argument that makes `run` run it: its file, or its name. */
  argument: Schema.String,
  /** The name of the suite; null if the file can't be loaded. */
  suite: Schema.NullOr(Schema.String),
  /** One sentence about why the file can't be loaded; null if it can. */
  problem: Schema.NullOr(Schema.String),
  scenarios: Schema.Array(SuiteScenario)
}).annotate({ identifier: "SuiteFile" })
export type SuiteFile = typeof SuiteFile.Type

/** Everything that `run` can run here. */
export const SuiteTree = Schema.Struct({
  files: Schema.Array(SuiteFile),
  /** One sentence about why no suite can be listed; null if they can. */
  problem: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SuiteTree" })
export type SuiteTree = typeof SuiteTree.Type

/** The project's suites. Files are loaded again when they have changed. */
export class SuitesGroup extends HttpApiGroup.make("suites").add(
  HttpApiEndpoint.get("list", "/suites", { success: SuiteTree, error: errors.signedOut }).annotate(
    OpenApi.Summary,
    "List suite files with their scenarios"
  )
) {}
