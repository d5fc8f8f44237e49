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
   * @throws `OperationUnavailableError` if the service doesn't report it.
   */
  readonly get: (options?: CallOptions) => Effect.Effect<Account, CallError | OperationUnavailableError>
}

/** Makes the operation on the account of a version. */
export const make = (version: ApiVersion): Effect.Effect<AccountCalls, never, Transport> =>
  Effect.map(Optional.make(version, "Account", AccountExtensions), ({ account }) => ({
    get: (options) => account({}, options)
  }))
