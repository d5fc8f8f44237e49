import * as Schema from "effect/Schema"
import { Identifier } from "../Identifier.ts"
import { answer, openRecord, undescribed } from "../OpenRecord.ts"
import { openStatus } from "../OpenStatus.ts"
import { Timestamp } from "../Timestamp.ts"
import { browserStatuses, stopAction } from "../Wire.ts"

/** What `POST /browsers` takes. */
export const BrowserCreate = openRecord({
  proxyCountryCode: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "BrowserCreate" })

/** What `POST /browsers` takes. */
export type BrowserCreate = typeof BrowserCreate.Type

const others = {
  status: undescribed(openStatus(browserStatuses)),
  liveUrl: undescribed(Schema.NullOr(Schema.String)),
  recordingUrl: undescribed(Schema.NullOr(Schema.String)),
  proxyCountryCode: undescribed(Schema.NullOr(Schema.String)),
  startedAt: undescribed(Timestamp),
  finishedAt: undescribed(Schema.NullOr(Timestamp)),
  timeoutAt: undescribed(Schema.NullOr(Timestamp))
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

/** A hosted browser. */
export type Browser = typeof Browser.Type

/** What `PATCH /browsers/{browser_id}` takes; "stop" is the only action that is described. */
export const BrowserUpdate = openRecord({
  action: Schema.Literal(stopAction)
}).annotate({ identifier: "BrowserUpdate" })

/** What `PATCH /browsers/{browser_id}` takes. */
export type BrowserUpdate = typeof BrowserUpdate.Type

/** What a PATCH answers. The description shows nothing of it; our server sends the browser as it now is. */
export const UpdatedBrowser = answer({
  id: undescribed(Identifier),
  cdpUrl: undescribed(Schema.NullOr(Schema.String)),
  ...others
}).annotate({ identifier: "UpdatedBrowser" })

/** What a PATCH answers. */
export type UpdatedBrowser = typeof UpdatedBrowser.Type
