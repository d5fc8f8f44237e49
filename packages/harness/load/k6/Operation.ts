import { type ApiVersion, operations } from "@webagent/contract/Wire"

type OperationsOf<Version extends ApiVersion> = `${Version}.${keyof (typeof operations)[Version] & string}`

/** An operation of the contract, as metrics are tagged with it: `v4.createRun`. */
export type Operation = { readonly [Version in ApiVersion]: OperationsOf<Version> }[ApiVersion]

interface Wire {
  readonly version: ApiVersion
  readonly method: string
  /** Relative to the address of its version. */
  readonly path: string
}

const all = new Map<string, Wire>(
  Object.entries(operations).flatMap(([version, byName]) =>
    Object.entries(byName).map(([name, wire]) => [`${version}.${name}`, { version: version as ApiVersion, ...wire }])
  )
)

/** The version, method and path of an operation. */
export const wireOf = (operation: Operation): Wire => {
  const wire = all.get(operation)
  if (wire === undefined) throw new Error(`The contract has no operation ${operation}.`)
  return wire
}
