import * as Schema from "effect/Schema"
import { BadCursorError } from "./BadCursorError.ts"
import { BrowserNotFoundError } from "./Errors.ts"
import { FileList } from "./Files.ts"
import { Identifier } from "./Identifier.ts"
import type { Operation } from "./Operation.ts"
import { downloadOperations } from "./Wire.ts"

/** The operation on the files that a browser has downloaded. The description doesn't show it. */
export const DownloadExtensions = {
  downloads: {
    ...downloadOperations.listDownloads,
    params: Schema.Struct({ browser_id: Identifier }),
    success: FileList,
    errors: [BrowserNotFoundError, BadCursorError]
  }
} as const satisfies Readonly<Record<string, Operation>>
