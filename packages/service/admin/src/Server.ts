import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { NeedsAdmin } from "./NeedsAdmin.ts"
import { Instant } from "./Page.ts"

/** Parts that a server may have or lack. A program hides the screens of the parts that are missing. */
export const features = [
  "runs",
  "sessions",
  "browsers",
  "keys",
  "spend",
  "nodes",
  "recordings",
  "settings",
  "audit",
  "events",
  "shares",
  "marks",
  "pictures",
  "live",
  "control",
  "simulation",
  "profiles",
  "webhooks",
  "schedules",
  "files",
  "replays"
] as const

/** A part that a server may have. A newer server may name others. */
export const Feature = Schema.Union([Schema.Literals(features), Schema.String])

/** Facts about the server that responds, and about the key that asks. */
export const ServerInfo = Schema.Struct({
  version: Schema.String,
  /** Name of the node that responds. */
  node: Schema.String,
  startedAt: Instant,
  uptimeMs: Schema.Int,
  has: Schema.Array(Feature),
  /** Kind of the store: `memory`, `sqlite` or `postgres`. */
  data: Schema.String,
  /** Description of the browsers, as the server prints it when it starts. */
  browsers: Schema.String,
  /** The model that carries out runs, `DIALECT:NAME`; null without one. */
  model: Schema.NullOr(Schema.String),
  /** The names of the models that a run may have, the default first. Missing in responses of older servers. */
  models: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The program as one calls it on the server's machine, such as `npx webagent-server`. Missing in older servers. */
  program: Schema.optionalKey(Schema.String),
  /** The command line that started the server, without secrets; null if the key lacks the scope admin. */
  command: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The key of this request. */
  key: Schema.Struct({
    name: Schema.String,
    /** True if it sees and changes the records of every key. */
    admin: Schema.Boolean,
    /**
     * The operations that it may use, such as `runs.list`. A program hides what the others would do, because they get a
     * 403.
     */
    operations: Schema.Array(Schema.String)
  })
}).annotate({ identifier: "ServerInfo" })
export type ServerInfo = typeof ServerInfo.Type

/** Health of the server that responds and of its store. */
export const Health = Schema.Struct({
  status: Schema.Union([Schema.Literals(["ok", "draining", "unavailable"]), Schema.String]),
  /** Reason why it's unavailable; null otherwise. */
  reason: Schema.NullOr(Schema.String),
  /** Figures such as the size of the store and the number of open runs. */
  details: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "Health" })
export type Health = typeof Health.Type

/** A setting in force. A secret is shown as `"set"`. */
export const Setting = Schema.Struct({
  name: Schema.String,
  /** The value as text; null if the setting is off or has none. */
  value: Schema.NullOr(Schema.String),
  /** Its flag, such as `--keep-days`; null for a fact that no flag sets. */
  flag: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Setting" })
export type Setting = typeof Setting.Type

/** The server itself. */
export class ServerGroup extends HttpApiGroup.make("server").add(
  HttpApiEndpoint.get("get", "/server", { success: ServerInfo }).annotate(
    OpenApi.Summary,
    "Version, parts and data of the server, and the key's operations"
  ),
  HttpApiEndpoint.get("health", "/health", { success: Health }).annotate(
    OpenApi.Summary,
    "Check the server and its store"
  ),
  HttpApiEndpoint.get("settings", "/settings", { success: Schema.Array(Setting) })
    .annotate(OpenApi.Summary, "List the settings in force (scope admin)")
    .annotate(NeedsAdmin, true)
) {}
