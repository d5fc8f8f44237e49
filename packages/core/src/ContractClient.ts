import type * as Contract from "@webagent/contract"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import { type Described, interpret } from "./Answer.ts"
import type { TooManyRequestsError } from "./TooManyRequestsError.ts"
import { Transport } from "./Transport.ts"
import { InvalidRequest, TransportError } from "./TransportError.ts"

/** What every operation can fail with, whichever it is. */
export type CallError =
  | Contract.UnauthorizedError
  | Contract.HTTPValidationError
  | Contract.ContentTooLargeError
  | TooManyRequestsError
  | TransportError

/** What an operation of the contract can fail with: the errors it declares, and a TransportError below them. */
export type Failure<Endpoint> =
  | Exclude<HttpApiEndpoint.Errors<Endpoint>, Contract.TooManyRequestsError>
  | TooManyRequestsError
  | TransportError

type Method<Endpoint> = Endpoint extends HttpApiEndpoint.ConstraintRequest
  ? (
      request: Types.Simplify<
        HttpApiEndpoint.ClientRequest<
          Endpoint["~Params"],
          Endpoint["~Query"],
          Endpoint["~Payload"],
          Endpoint["~Headers"],
          "response-only"
        >
      >
    ) => Effect.Effect<HttpApiClient.SuccessType<Endpoint["~Success"]>, Failure<Endpoint>>
  : never

/** An effect for every operation of a contract, by group and name. */
export type Client<Groups extends HttpApiGroup.Constraint> = {
  readonly [Group in Groups as HttpApiGroup.Identifier<Group>]: {
    readonly [Name in keyof Group["endpoints"]]: Method<Group["endpoints"][Name]>
  }
}

interface Operation extends Described {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
}

const operationsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Operation> => {
  const operations: Array<Operation> = []
  const first = (schemas: ReadonlyArray<Schema.Top>) => (schemas[0] ?? Schema.Unknown) as Schema.Codec<unknown>
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, successes }) =>
      operations.push({
        group: group.identifier,
        name: endpoint.identifier,
        method: endpoint.method,
        path: endpoint.path,
        success: first(Array.from(successes.values()).flat()),
        errors: new Map(Array.from(errors, ([status, schemas]) => [status, first(schemas)]))
      })
  })
  return operations
}

interface Call {
  readonly params?: Readonly<Record<string, unknown>>
}

type Send = (
  call: Call & { readonly responseMode: "response-only" }
) => Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>

/** An id becomes one segment of a path: these would become none, another one, or not text at all. */
const pathIssue = ({ params = {} }: Call) => {
  const wrong = Object.entries(params).find(
    ([, value]) => typeof value === "string" && (["", ".", ".."].includes(value) || !value.isWellFormed())
  )
  return wrong === undefined ? undefined : `${wrong[0]} is not an id: ${JSON.stringify(wrong[1])}`
}

/** The operations of one version of the contract, over the Transport. Reads are retried, nothing else is. */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  version: ApiVersion,
  api: HttpApi.HttpApi<Id, Groups>
): Effect.Effect<Client<Groups>, never, Transport | HttpApiGroup.MiddlewareClient<Groups>> =>
  Effect.gen(function* () {
    const transport = yield* Transport
    const base = new URL(transport.baseUrls[version])
    const httpClient = HttpClient.makeWith(
      (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) =>
        Effect.flatMap(request, (request) => transport.execute(version, request)),
      Effect.succeed
    )
    const encoding: unknown = yield* HttpApiClient.makeWith(api, { httpClient })
    const sends = encoding as Readonly<Record<string, Readonly<Record<string, Send>>>>

    const refuse = ({ method, path }: Operation, issue: string) =>
      Effect.fail(
        new TransportError({
          method,
          path: `${base.pathname}${path.replaceAll(/:(\w+)/gu, "{$1}")}`,
          origin: base.origin,
          attempts: 0,
          reason: new InvalidRequest({ issue })
        })
      )

    const methodOf = (operation: Operation) => (call: Call) => {
      const issue = pathIssue(call)
      if (issue !== undefined) return refuse(operation, issue)
      const send = sends[operation.group]?.[operation.name]
      if (send === undefined) return Effect.die(`no operation ${operation.group}.${operation.name}`)
      const once = send({ ...call, responseMode: "response-only" }).pipe(
        // encoding can fail, though the derived client's type does not say so when the response is asked for
        Effect.catchIf(Schema.isSchemaError, (error) => refuse(operation, error.message)),
        Effect.flatMap((response) => interpret(operation, response, transport.redact))
      )
      return operation.method === "GET" ? transport.retry(once) : once
    }

    const client: Record<string, Record<string, unknown>> = {}
    for (const operation of operationsOf(api)) {
      client[operation.group] = { ...client[operation.group], [operation.name]: methodOf(operation) }
    }
    return client as object as Client<Groups>
  })
