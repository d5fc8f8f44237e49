import * as Schema from "effect/Schema"
import { BrowserNotFoundError } from "./Errors.ts"
import { Identifier } from "./Identifier.ts"
import { answer } from "./OpenRecord.ts"
import type { Operation } from "./Operation.ts"
import { numberedPage } from "./Pagination.ts"
import { browserOperations as extensions } from "./Wire.ts"
import { UpdatedBrowser } from "./Browser.ts"

/** A page of browsers, newest first. */
export const BrowserList = answer(numberedPage(UpdatedBrowser)).annotate({ identifier: "BrowserList" })
export type BrowserList = typeof BrowserList.Type

/** The operations on browsers that the description doesn't show. */
export const BrowserExtensions = {
  list: { ...extensions.listBrowsers, success: BrowserList },
  get: {
    ...extensions.getBrowser,
    params: Schema.Struct({ browser_id: Identifier }),
    success: UpdatedBrowser,
    errors: [BrowserNotFoundError]
  }
} as const satisfies Readonly<Record<string, Operation>>
