import type { Operations } from "@webagent/contract"
import { V2Operations } from "@webagent/contract/v2"
import { V3Operations } from "@webagent/contract/v3"
import { V4Operations } from "@webagent/contract/v4"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Schema from "effect/Schema"
import { type Operation, wireOf } from "./Operation.ts"

const tables: Readonly<Record<ApiVersion, Operations>> = { v2: V2Operations, v3: V3Operations, v4: V4Operations }

/** The schema of a successful response, from the contract's table. */
const successOf = (operation: Operation) => {
  const { method, path, version } = wireOf(operation)
  const entry = Object.values(tables[version])
    .flatMap((group) => Object.values(group))
    .find((other) => other.method === method && other.path === path)
  if (entry === undefined) throw new Error(`The contract has no operation ${operation}.`)
  return entry.success
}

/** Returns how a successful response violates the contract's schema; undefined if it doesn't. */
export const violation = (operation: Operation, body: string | null): string | undefined => {
  try {
    Schema.decodeUnknownSync(successOf(operation))(JSON.parse(body ?? ""))
    return undefined
  } catch (error) {
    return String(error)
  }
}
