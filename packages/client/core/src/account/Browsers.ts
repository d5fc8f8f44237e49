import type { BrowserNotFoundError } from "@webagent/contract"
import {
  AllBrowserOperations,
  type BrowserList,
  type BrowserListQuery,
  type UpdatedBrowser
} from "@webagent/contract/Resources"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as CallOptions from "../CallOptions.ts"
import * as ContractClient from "../ContractClient.ts"
import type { OperationUnavailableError } from "../OperationUnavailableError.ts"
import * as Pages from "../Pages.ts"
import * as RetryPolicy from "../RetryPolicy.ts"
import { Transport } from "../Transport.ts"

/** Errors that listing browsers can fail with. */
export type BrowserListError = ContractClient.CallError | OperationUnavailableError

/** Errors that an operation on a browser can fail with. */
export type BrowserError = BrowserNotFoundError | BrowserListError

/** The operations that find the browsers of an API key and stop them. */
export interface BrowserCalls {
  /**
   * Lists browsers, newest first. Pages are read while you take browsers from the stream.
   *
   * @param options - `filterBy` is a status, such as `active`. `pageSize` is the number of browsers per page, from 1 to
   *   100, and `pageNumber` the page to start with.
   * @throws `OperationUnavailableError` if the service doesn't list browsers.
   */
  readonly list: (
    options?: BrowserListQuery & Omit<CallOptions.CallOptions, "timeout">
  ) => Stream.Stream<UpdatedBrowser, BrowserListError>
  /** Reads one page of `list`. `totalItems` is the number of browsers on all pages. */
  readonly listPage: (
    options?: BrowserListQuery & CallOptions.CallOptions
  ) => Effect.Effect<BrowserList, BrowserListError>
  /**
   * Reads a browser.
   *
   * @throws `BrowserNotFoundError` if the service has no browser with this id.
   */
  readonly get: (id: string, options?: CallOptions.CallOptions) => Effect.Effect<UpdatedBrowser, BrowserError>
  /**
   * Stops a browser, so that it doesn't cost any more. The request is retried if the service can't be reached.
   *
   * @throws `BrowserNotFoundError` if the service has no browser with this id.
   */
  readonly stop: (id: string, options?: CallOptions.CallOptions) => Effect.Effect<UpdatedBrowser, BrowserError>
}

/** Makes the operations that find and stop browsers of a version. */
export const make = (version: ApiVersion): Effect.Effect<BrowserCalls, never, Transport> =>
  Effect.gen(function* () {
    const { get, list, update } = AllBrowserOperations
    const optional = yield* ContractClient.makeOptional(version, "Browsers", { get, list, update })
    const transport = yield* Transport
    const ofBrowser = (id: string) => ({ params: { browser_id: id } })
    return {
      ...Pages.make<BrowserListQuery>()(optional.list, ({ items }) => items, Pages.nextNumber),
      get: (id, options) => optional.get(ofBrowser(id), options),
      stop: (id, options) =>
        transport.retry(optional.update({ ...ofBrowser(id), payload: { action: "stop" } })).pipe(
          Effect.catch((error) =>
            RetryPolicy.isOddSuccess(error) ? Effect.succeed<UpdatedBrowser>({}) : Effect.fail(error)
          ),
          Effect.tap(() => transport.closed("browser", id)),
          CallOptions.provide(options)
        )
    }
  })
