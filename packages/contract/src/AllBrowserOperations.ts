import * as Schema from "effect/Schema"
import { Browser, BrowserCreate, BrowserUpdate, UpdatedBrowser } from "./Browser.ts"
import { BrowserExtensions } from "./BrowserExtensions.ts"
import { DownloadExtensions } from "./Downloads.ts"
import { BrowserNotFoundError } from "./Errors.ts"
import { Identifier } from "./Identifier.ts"
import type { Operation } from "./Operation.ts"
import { allBrowserOperations as extensions } from "./Wire.ts"

/** All operations on browsers, with the requests and responses of v4. The description shows browsers in v4 only. */
export const AllBrowserOperations = {
  ...BrowserExtensions,
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
