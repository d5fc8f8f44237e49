import type { Operation } from "@webagent/contract"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as ContractClient from "../ContractClient.ts"
import * as Ledger from "../Ledger.ts"
import type { Transport } from "../Transport.ts"

/**
 * Makes the calls of operations that a service may lack, on records that cost nothing. Their creates aren't in the
 * ledger, because the records don't have to be found and stopped.
 *
 * @param version - The API version whose address is used.
 * @param service - The name of the service in spans, such as `Profiles`.
 * @param operations - The operations by name.
 * @returns A function for each operation. It fails with `OperationUnavailableError` if the service lacks the operation.
 * @example
 * ```ts
 * import { ProfileExtensions } from "@webagent/contract/Resources"
 * import { Optional } from "@webagent/core/account"
 * import * as Effect from "effect/Effect"
 *
 * export const profile = Effect.flatMap(Optional.make("v4", "Profiles", ProfileExtensions), ({ get }) =>
 *   get({ params: { profile_id: "5f2e" } })
 * )
 * ```
 */
export const make = <const Operations extends Readonly<Record<string, Operation>>>(
  version: ApiVersion,
  service: string,
  operations: Operations
): Effect.Effect<ContractClient.Optional<Operations>, never, Transport> =>
  Effect.map(
    ContractClient.makeOptional(version, service, operations),
    (calls) =>
      Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [
          name,
          (...args: Parameters<typeof call>) => Effect.provideService(call(...args), Ledger.Current, Ledger.none)
        ])
      ) as ContractClient.Optional<Operations>
  )
