import { Identifier, openStatus } from "@webagent/contract"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { FilterText, Ids, Instant, listOf, When } from "./Page.ts"

const ofBrowser = { params: { browser_id: Identifier }, error: [errors.notFound, errors.unavailable] }
const text = Schema.NullOr(Schema.String)

/** Statuses of a browser. */
export const browserStatuses = ["starting", "active", "stopped"] as const

/** Control of a browser by a person. The agent pauses before its next action while a person has it. */
export const Control = Schema.Struct({
  browserId: Schema.String,
  /** Name of the key that drives; null if only the agent or a CDP client does. */
  driver: text,
  /** Control ends at this time unless it is taken again before; null without a driver. */
  until: Schema.NullOr(Instant),
  /** Of a take: the live page on which its driver uses mouse and keyboard; null without a live view. */
  url: Schema.optionalKey(text)
}).annotate({ identifier: "Control" })
export type Control = typeof Control.Type

/** A browser of an agent or of a CDP client. Title and address are texts of strangers: show them as text only. */
export const Browser = Schema.Struct({
  id: Schema.String,
  status: openStatus(browserStatuses),
  owner: text,
  node: text,
  /** The session whose agent uses it; null for a browser that code drives over CDP. */
  agentSessionId: text,
  /** The run that its agent carries out right now. */
  runId: text,
  /** The task of that run. */
  task: text,
  /** Title and address of the tab in front; null if this node doesn't show the browser. */
  title: text,
  address: text,
  /** Name of the key that has control of it; null if only its agent or a CDP client drives. */
  driver: text,
  /** Reason for its stop, such as `expired` or `crashed`; null before that. */
  stopReason: text,
  recording: Schema.Boolean,
  startedAt: Instant,
  /** When it is stopped at the latest; null without a limit. */
  timeoutAt: Schema.NullOr(Instant),
  finishedAt: Schema.NullOr(Instant)
}).annotate({ identifier: "AdminBrowser" })
export type Browser = typeof Browser.Type

/** Filters of a list of browsers. */
export const BrowserFilters = Schema.Struct({
  status: Schema.optionalKey(Schema.Literals(browserStatuses)),
  key: Schema.optionalKey(FilterText),
  node: Schema.optionalKey(FilterText),
  from: Schema.optionalKey(When),
  to: Schema.optionalKey(When)
})
export type BrowserFilters = typeof BrowserFilters.Type

/** Links to a browser; each has a token, so that it opens without a key. Null if the browser has no such thing. */
export const BrowserLinks = Schema.Struct({
  liveUrl: text,
  /** The live page that also takes mouse and keyboard input. */
  controlUrl: text,
  cdpUrl: text,
  recordingUrl: text
}).annotate({ identifier: "BrowserLinks" })
export type BrowserLinks = typeof BrowserLinks.Type

/** Outcome for each browser. */
export const StoppedBrowsers = Schema.Struct({
  stopped: Schema.Array(Schema.String),
  /** Those that were stopped before. */
  already: Schema.Array(Schema.String),
  notFound: Schema.Array(Schema.String)
}).annotate({ identifier: "StoppedBrowsers" })

/** Browsers of every key, or of the request's key. */
export class BrowsersGroup extends HttpApiGroup.make("browsers").add(
  HttpApiEndpoint.get("list", "/browsers", listOf(Browser, BrowserFilters.fields)).annotate(
    OpenApi.Summary,
    "List browsers, newest first"
  ),
  HttpApiEndpoint.get("get", "/browsers/:browser_id", { ...ofBrowser, success: Browser }).annotate(
    OpenApi.Summary,
    "Read a browser"
  ),
  HttpApiEndpoint.get("links", "/browsers/:browser_id/links", { ...ofBrowser, success: BrowserLinks }).annotate(
    OpenApi.Summary,
    "Create links to a browser's live page, control page, CDP and recording"
  ),
  HttpApiEndpoint.post("stop", "/browsers/stop", {
    payload: Schema.Struct({ ids: Ids }),
    success: StoppedBrowsers,
    error: errors.unavailable
  }).annotate(OpenApi.Summary, "Stop browsers by their ids"),
  HttpApiEndpoint.get("control", "/browsers/:browser_id/control", { ...ofBrowser, success: Control }).annotate(
    OpenApi.Summary,
    "Read who drives a browser"
  ),
  HttpApiEndpoint.post("takeControl", "/browsers/:browser_id/control", {
    ...ofBrowser,
    payload: Schema.Struct({
      /** Number of seconds to hold it, from 1 to 600 (60 by default). Take it again to extend it. */
      seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 })))
    }),
    success: Control,
    error: [errors.notFound, errors.conflict, errors.unavailable]
  }).annotate(OpenApi.Summary, "Take control of a browser; 409 while another key has it"),
  HttpApiEndpoint.delete("releaseControl", "/browsers/:browser_id/control", {
    ...ofBrowser,
    success: HttpApiSchema.NoContent,
    error: [errors.notFound, errors.conflict, errors.unavailable]
  }).annotate(OpenApi.Summary, "Release control of a browser, so that its agent continues")
) {}
