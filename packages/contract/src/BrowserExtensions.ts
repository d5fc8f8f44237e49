import * as Schema from "effect/Schema"
import { BrowserNotFoundError } from "./Errors.ts"
import { BadCursorError } from "./ExtensionErrors.ts"
import { FileList, FileListQuery } from "./Files.ts"
import { Identifier } from "./Identifier.ts"
import { answer } from "./OpenRecord.ts"
import { openStatus } from "./OpenStatus.ts"
import type { Operation } from "./Operation.ts"
import { numberedPage, numberedQuery } from "./Pagination.ts"
import { browserStatuses, browserOperations as extensions } from "./Wire.ts"
import { UpdatedBrowser } from "./Browser.ts"

/** The query of `GET /browsers`. `filterBy` is a status. */
export const BrowserListQuery = Schema.Struct({
  filterBy: Schema.optionalKey(openStatus(browserStatuses)),
  agentSessionId: Schema.optionalKey(Identifier),
  ...numberedQuery
})

/** The query of `GET /browsers`. */
export type BrowserListQuery = typeof BrowserListQuery.Type

/** A page of browsers, newest first. */
export const BrowserList = answer(numberedPage(UpdatedBrowser)).annotate({ identifier: "BrowserList" })

/** A page of browsers, newest first. */
export type BrowserList = typeof BrowserList.Type

/** The operations on browsers that the description doesn't show. */
export const BrowserExtensions = {
  list: { ...extensions.listBrowsers, query: BrowserListQuery, success: BrowserList },
  get: {
    ...extensions.getBrowser,
    params: Schema.Struct({ browser_id: Identifier }),
    success: UpdatedBrowser,
    errors: [BrowserNotFoundError]
  },
  downloads: {
    ...extensions.listDownloads,
    params: Schema.Struct({ browser_id: Identifier }),
    query: FileListQuery,
    success: FileList,
    errors: [BrowserNotFoundError, BadCursorError]
  }
} as const satisfies Readonly<Record<string, Operation>>
