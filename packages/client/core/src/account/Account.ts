import { type Account, AccountExtensions } from "@webagent/contract/Resources"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type { CallOptions } from "../CallOptions.ts"
import type { CallError } from "../ContractClient.ts"
import type { OperationUnavailableError } from "../OperationUnavailableError.ts"
import type { Transport } from "../Transport.ts"
import * as Optional from "./Optional.ts"

/** The operation on the account of an API key. */
export interface AccountCalls {
  /**
   * Reads what the API key has used, and what it may use.
   *
   * @param options - Headers, a request id and retries of this call.
   * @returns The usage and the limits of the key. Amounts are in USD, and `rateLimit` in requests per minute.
   * @throws `OperationUnavailableError` if the service doesn't report it.
   * @example
   * ```ts
   * import { Account } from "@webagent/v4/account"
   * import * as Effect from "effect/Effect"
   *
   * export const today_usd = Account.use((account) => Effect.map(account.get(), ({ usedTodayUsd }) => usedTodayUsd))
   * ```
   */
  readonly get: (options?: CallOptions) => Effect.Effect<Account, CallError | OperationUnavailableError>
}

/**
 * Makes the operation on the account of a version.
 *
 * @param version - The API version.
 * @returns The operation.
 * @example
 * ```ts
 * import { Account } from "@webagent/core/account"
 * import * as Effect from "effect/Effect"
 *
 * export const usage = Effect.flatMap(Account.make("v4"), (account) => account.get())
 * ```
 */
export const make = (version: ApiVersion): Effect.Effect<AccountCalls, never, Transport> =>
  Effect.map(Optional.make(version, "Account", AccountExtensions), ({ account }) => ({
    get: (options) => account({}, options)
  }))
