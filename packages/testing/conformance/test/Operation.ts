import { V2Api } from "@webagent/contract/v2"
import { V3Api } from "@webagent/contract/v3"
import { V4Api } from "@webagent/contract/v4"
import * as Wire from "@webagent/contract/Wire"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as Schema from "effect/Schema"

type Body = Schema.Codec<unknown, unknown>

/** One described operation, as the contract says it. */
export interface Operation {
  /** Such as `v4.createRun`, the name that `Wire.operations` gives it. */
  readonly name: string
  readonly method: string
  /** With the version before it: `/api/v4/runs/{run_id}`. */
  readonly path: string
  /** What `path` looks like in a request. */
  readonly pattern: RegExp
  /** What it takes, if it takes a body. */
  readonly payload: Body | undefined
  /** What it answers, by status. */
  readonly answers: ReadonlyMap<number, Body>
}

/** The one schema that a status, or a request, has in the contract. */
const only = (schemas: ReadonlyArray<Schema.Top>): Body | undefined => schemas[0] as Body | undefined

const braces = (path: string) => path.replaceAll(/:(\w+)/gu, "{$1}")

const ofVersion = <Id extends Wire.ApiVersion, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Operation> => {
  const named = Object.entries<{ readonly method: string; readonly path: string }>(Wire.operations[api.identifier])
  const found: Array<Operation> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, successes }) => {
      const relative = braces(endpoint.path)
      const [name] = named.find(([, { method, path }]) => method === endpoint.method && path === relative) ?? []
      const path = `${Wire.basePath[api.identifier]}${relative}`
      found.push({
        name: `${api.identifier}.${name}`,
        method: endpoint.method,
        path,
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"),
        payload: only([...endpoint.payload.values()].flatMap(({ schemas }) => schemas)),
        answers: new Map(
          [...successes, ...errors].flatMap(([status, schemas]) => {
            const body = only(schemas)
            return body === undefined ? [] : [[status, body] as const]
          })
        )
      })
    }
  })
  return found
}

/** Every operation of every version. */
export const operations: ReadonlyArray<Operation> = [...ofVersion(V2Api), ...ofVersion(V3Api), ...ofVersion(V4Api)]

/** The path of an operation with this id in it. */
export const pathWith = (operation: Operation, id: string): string => operation.path.replace(/\{\w+\}/u, () => id)
