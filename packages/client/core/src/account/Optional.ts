import type { Operation } from "@webagent/contract"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as ContractClient from "../ContractClient.ts"
import * as Ledger from "../Ledger.ts"
import type { Transport } from "../Transport.ts"

/**
 * Operations that a service may lack, on records that cost nothing by themselves. Their creates aren't in the ledger,
 * because their records don't have to be found and stopped.
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
