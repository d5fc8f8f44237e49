import * as Schema from "effect/Schema"
import { DecimalString } from "./DecimalString.ts"
import { Identifier } from "./Identifier.ts"
import { answer, openRecord, undescribed } from "./OpenRecord.ts"
import { openStatus } from "./OpenStatus.ts"
import type { BrowserOptions } from "./Options.ts"
import { Timestamp } from "./Timestamp.ts"
import { browserStatuses, saveAction, stopAction } from "./Wire.ts"

/** The body of `POST /browsers`. */
export const BrowserCreate = openRecord({
  // null, as published clients send it, is for no proxy
  proxyCountryCode: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "BrowserCreate" })

/** The body of `POST /browsers`. */
export type BrowserCreate = typeof BrowserCreate.Type & BrowserOptions

const others = {
  status: undescribed(openStatus(browserStatuses)),
  liveUrl: undescribed(Schema.NullOr(Schema.String)),
  recordingUrl: undescribed(Schema.NullOr(Schema.String)),
  // false if no recordingUrl will ever come
  recordingAvailable: undescribed(Schema.Boolean),
  proxyCountryCode: undescribed(Schema.NullOr(Schema.String)),
  startedAt: undescribed(Timestamp),
  finishedAt: undescribed(Schema.NullOr(Timestamp)),
  timeoutAt: undescribed(Schema.NullOr(Timestamp)),
  // fields that published clients read
  proxyUsedMb: undescribed(DecimalString),
  proxyCost: undescribed(DecimalString),
  browserCost: undescribed(DecimalString),
  agentSessionId: undescribed(Schema.NullOr(Identifier)),
  metadata: undescribed(Schema.Record(Schema.String, Schema.String))
}

/**
 * A hosted browser. It runs, and costs, until a PATCH with action "stop": closing a CDP connection does not
 * stop it.
 */
export const Browser = answer({
  id: Identifier,
  cdpUrl: Schema.String.check(Schema.isMinLength(1)),
  ...others
}).annotate({ identifier: "Browser" })
export type Browser = typeof Browser.Type

/** The body of `PATCH /browsers/{browser_id}`: "stop", the only described action, or "save", which saves its profile. */
export const BrowserUpdate = openRecord({
  action: Schema.Literals([stopAction, saveAction])
}).annotate({ identifier: "BrowserUpdate" })
export type BrowserUpdate = typeof BrowserUpdate.Type

/** The response to a PATCH, and a browser as lists show it. The description doesn't show it; our server returns the browser as it is afterwards. */
export const UpdatedBrowser = answer({
  id: undescribed(Identifier),
  cdpUrl: undescribed(Schema.NullOr(Schema.String)),
  ...others
}).annotate({ identifier: "UpdatedBrowser" })
export type UpdatedBrowser = typeof UpdatedBrowser.Type
