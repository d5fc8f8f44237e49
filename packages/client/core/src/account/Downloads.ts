import { type BadCursorError, BrowserNotFoundError } from "@webagent/contract"
import { DownloadExtensions } from "@webagent/contract/Resources"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type { CallError } from "../ContractClient.ts"
import type { OperationUnavailableError } from "../OperationUnavailableError.ts"
import { Transport } from "../Transport.ts"
import * as FileLinks from "./FileLinks.ts"
import * as Optional from "./Optional.ts"

/** Errors that an operation on the downloads of a browser can fail with. */
export type DownloadError = BrowserNotFoundError | BadCursorError | CallError | OperationUnavailableError

/**
 * The operations on the files that a browser has downloaded, by the id of the browser. `list` lists them, `listPage` reads
 * one page of the list, and `get` reads the bytes of a file by its path.
 *
 * They fail with `BrowserNotFoundError` if the service has no such browser, or the browser no such file, and with
 * `OperationUnavailableError` if the service doesn't keep downloads.
 */
export type DownloadCalls = FileLinks.StoredFiles<DownloadError>

/**
 * Makes the operations on the downloads of a version.
 *
 * @param version - The API version.
 * @returns The operations.
 * @example
 * ```ts
 * import { Downloads } from "@webagent/core/account"
 * import * as Effect from "effect/Effect"
 *
 * export const report = (browserId: string) =>
 *   Effect.flatMap(Downloads.make("v4"), (downloads) => downloads.get(browserId, "report.pdf"))
 * ```
 */
export const make = (version: ApiVersion): Effect.Effect<DownloadCalls, never, Transport> =>
  Effect.gen(function* () {
    const { downloads } = yield* Optional.make(version, "Browsers", DownloadExtensions)
    const { baseUrls } = yield* Transport
    return FileLinks.stored(
      baseUrls[version],
      (id, input, options) => downloads({ params: { browser_id: id }, ...input }, options),
      (detail) => new BrowserNotFoundError({ detail })
    )
  })
