import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"

/** A service that runs can be sent to. */
export const TargetChoice = Schema.Struct({
  /** `simulated`, a name of the configuration's `targets`, or an address. */
  name: Schema.String,
  /** Its address; null for the simulated service, which starts with the run. */
  address: Schema.NullOr(Schema.String),
  isSimulated: Schema.Boolean
}).annotate({ identifier: "TargetChoice" })
export type TargetChoice = typeof TargetChoice.Type

/** The project whose suites, runs and nights the screens show. */
export const Project = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String }),
  /** The folder in which the command runs: suites, reports and history are relative to it. */
  folder: Schema.String,
  /** The configuration file; null without one. */
  config: Schema.NullOr(Schema.String),
  /** The folder of the reports of runs. */
  runs: Schema.String,
  /** The history file. */
  history: Schema.String,
  /** The quarantine file. */
  quarantine: Schema.String,
  /** Parts of commands to show. */
  commands: Schema.Struct({
    /** The program as its user calls it, such as `npx webagent-harness`. */
    program: Schema.String,
    /** Flags of files that aren't in their standard places, such as ` --history nights.ndjson`, or empty. */
    history: Schema.String,
    quarantine: Schema.String
  }),
  /** The file with the baselines of load tests; null if none is configured. */
  baseline: Schema.NullOr(Schema.String),
  /** Targets of runs, the default one first. */
  targets: Schema.Array(TargetChoice),
  /** Maximum cost in USD of all runs of this process, as an exact decimal; null if scenarios that cost money don't run. */
  maxCost_usd: Schema.NullOr(Schema.String),
  /** The actions that this page can offer: an exported page has none. */
  can: Schema.Struct({
    /** Start and stop runs. */
    run: Schema.Boolean,
    /** Write quarantine, acknowledgements and accepted nights. */
    change: Schema.Boolean,
    /** Run scenarios that cost money at a service that isn't simulated. */
    pay: Schema.Boolean
  }),
  /** One sentence per problem of the project, such as a history with a line that can't be read or a read-only folder. */
  problems: Schema.Array(Schema.String),
  /** When the page was exported; null for a page of a running command. */
  exportedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Project" })
export type Project = typeof Project.Type

/** The project, and the session of a page. */
export class ProjectGroup extends HttpApiGroup.make("project").add(
  HttpApiEndpoint.get("get", "/project", { success: Project, error: errors.signedOut }).annotate(
    OpenApi.Summary,
    "Read the project's folders, targets and permissions"
  )
) {}

/** The session of a browser: the token of the printed address once, then a cookie that no script can read. */
export class SessionGroup extends HttpApiGroup.make("session").add(
  HttpApiEndpoint.post("open", "/session", {
    payload: Schema.Struct({ token: Schema.RedactedFromValue(Schema.NonEmptyString.check(Schema.isMaxLength(200))) }),
    success: HttpApiSchema.NoContent,
    error: [errors.signedOut, errors.refused]
  }).annotate(OpenApi.Summary, "Open a session with the token of the printed address")
) {}
