import * as Schema from "effect/Schema"
import { BrowserNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import type { Operation } from "../Operation.ts"
import { v3Extensions as extensions } from "../Wire.ts"
import { Browser, BrowserCreate, BrowserUpdate, UpdatedBrowser } from "../Browser.ts"
import { BrowserExtensions as OfV4 } from "../BrowserExtensions.ts"
import { DownloadExtensions } from "../Downloads.ts"

/** The operations on browsers, with the requests and responses of v4. The description shows browsers in v4 only. */
export const BrowserExtensions = {
  ...OfV4,
  ...DownloadExtensions,
  create: { ...extensions.createBrowser, payload: BrowserCreate, success: Browser },
  update: {
    ...extensions.updateBrowser,
    params: Schema.Struct({ browser_id: Identifier }),
    payload: BrowserUpdate,
    success: UpdatedBrowser,
    errors: [BrowserNotFoundError]
  }
} as const satisfies Readonly<Record<string, Operation>>
