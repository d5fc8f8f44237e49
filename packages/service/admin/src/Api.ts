import { RequestValidation } from "@webagent/contract"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { AdminKeyAuth } from "./AdminKeyAuth.ts"
import { AuditGroup } from "./Audit.ts"
import { BrowsersGroup } from "./Browsers.ts"
import { EventsGroup } from "./Events.ts"
import { FilesGroup } from "./Files.ts"
import { KeysGroup } from "./Keys.ts"
import { MarksGroup } from "./Marks.ts"
import { NodesGroup } from "./Nodes.ts"
import { ProfilesGroup } from "./Profiles.ts"
import { RecordingsGroup } from "./Recordings.ts"
import { RunsGroup } from "./Runs.ts"
import { SchedulesGroup } from "./Schedules.ts"
import { ServerGroup } from "./Server.ts"
import { SessionsGroup } from "./Sessions.ts"
import { SharesGroup } from "./Share.ts"
import { SpendGroup } from "./Spend.ts"
import { WebhooksGroup } from "./Webhooks.ts"
import { adminPath } from "./Wire.ts"

const noUnknownFields = { errors: "all", onExcessProperty: "error" } as const

/**
 * Reads and writes requests strictly: a field or query parameter that an operation doesn't have is an error. Without a
 * filter that was misspelt, more runs would be cancelled; without a limit, a key could spend more.
 */
export const strict = Context.make(HttpApi.PayloadParseOptions, noUnknownFields).pipe(
  Context.add(HttpApi.QueryParseOptions, noUnknownFields)
)

/**
 * The operations of the admin API without a path and without a check of who asks, so that a program can mount them with
 * its own: `AdminApi` takes API keys, the web console a session cookie.
 */
export class AdminOperations extends HttpApi.make("admin")
  .add(ServerGroup)
  .add(RunsGroup)
  .add(SharesGroup)
  .add(FilesGroup)
  .add(ProfilesGroup)
  .add(MarksGroup)
  .add(SessionsGroup)
  .add(BrowsersGroup)
  .add(KeysGroup)
  .add(SpendGroup)
  .add(NodesGroup)
  .add(RecordingsGroup)
  .add(AuditGroup)
  .add(EventsGroup)
  .add(WebhooksGroup)
  .add(SchedulesGroup)
  .middleware(RequestValidation)
  .annotateMerge(strict) {}

/** The admin API of a server at `/admin/v1`, with an API key. */
export class AdminApi extends AdminOperations.middleware(AdminKeyAuth)
  .prefix(adminPath)
  .annotateMerge(OpenApi.annotations({ title: "Administration of a web-agent server", version: "1.0.0" })) {}
