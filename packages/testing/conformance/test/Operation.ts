import { errorsOf, type Operations } from "@webagent/contract"
import { V2Extensions, V2Operations } from "@webagent/contract/v2"
import { V3Extensions, V3Operations } from "@webagent/contract/v3"
import { CreateRunInSession, V4Extensions, V4Operations } from "@webagent/contract/v4"
import * as Wire from "@webagent/contract/Wire"
import type * as Schema from "effect/Schema"

type Body = Schema.Codec<unknown, unknown>

/** One operation, as the contract says it. */
export interface Operation {
  /** Such as `v4.createRun`, the name that `Wire.operations` or `Wire.extensions` gives it. */
  readonly name: string
  readonly method: string
  /** With the version before it: `/api/v4/runs/{run_id}`. */
  readonly path: string
  /** What `path` looks like in a request. */
  readonly pattern: RegExp
  /** What it takes, if it takes a body. */
  readonly payload: Body | undefined
  /** True if the description doesn't show it. */
  readonly isExtension: boolean
  /** What it answers, by status. */
  readonly answers: ReadonlyMap<number, Body>
}

const ofVersion = (version: Wire.ApiVersion, table: Operations): ReadonlyArray<Operation> =>
  Object.values(table)
    .flatMap((group) => Object.values(group))
    .map((operation) => {
      const { method, payload, status = method === "POST" ? 201 : 200, success } = operation
      const [name] =
        Object.entries<{ readonly method: string; readonly path: string }>({
          ...Wire.operations[version],
          ...Wire.extensions[version]
        }).find(([, wire]) => wire.method === method && wire.path === operation.path) ?? []
      const path = `${Wire.basePath[version]}${operation.path}`
      return {
        name: `${version}.${name}`,
        method,
        path,
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"),
        payload,
        isExtension: name !== undefined && name in Wire.extensions[version],
        answers: new Map<number, Body>([
          [status, success],
          ...Object.entries(errorsOf(operation)).map(([status, error]) => [Number(status), error] as const)
        ])
      }
    })

/** Every operation of every version that our server serves. */
export const operations: ReadonlyArray<Operation> = [
  ...ofVersion("v2", V2Operations),
  ...ofVersion("v2", V2Extensions),
  ...ofVersion("v3", V3Operations),
  ...ofVersion("v3", V3Extensions),
  ...ofVersion("v4", { ...V4Operations, runs: { ...V4Operations.runs, create: CreateRunInSession } }),
  ...ofVersion("v4", V4Extensions)
]

/** The operations that the description shows. */
export const described = operations.filter(({ isExtension }) => !isExtension)

/** True if the id in an operation's path has to be a uuid, as the description says for v2's sessions. */
export const hasUuid = ({ path }: Pick<Operation, "path">): boolean =>
  /^\/api\/v2\/.*\{(?:session|task)_id\}/u.test(path)

/** The path of an operation with this id in it, or with one for each parameter. */
export const pathWith = (operation: Operation, id: string | ReadonlyArray<string>): string => {
  const ids = typeof id === "string" ? [] : [...id]
  return operation.path.replaceAll(/\{\w+\}/gu, () => (typeof id === "string" ? id : (ids.shift() ?? "")))
}
