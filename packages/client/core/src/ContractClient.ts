import type * as Contract from "@webagent/contract"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import { interpreter } from "./Answer.ts"
import * as CallOptions from "./CallOptions.ts"
import type { CreateOutcomeUnknown } from "./CreateOutcomeUnknown.ts"
import * as RequestEncoding from "./RequestEncoding.ts"
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

/** What every create can fail with. */
export type CreateError = CallError | CreateOutcomeUnknown

/**
 * What an operation of the contract can fail with: the errors it declares, and a TransportError below them; a create
 * also with an outcome that is not known.
 */
export type Failure<Endpoint> =
  | Exclude<HttpApiEndpoint.Errors<Endpoint>, Contract.TooManyRequestsError>
  | TooManyRequestsError
  | TransportError
  | (Endpoint extends { readonly method: "POST" } ? CreateOutcomeUnknown : never)

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

type Table = Readonly<Record<string, Readonly<Record<string, Contract.Operation>>>>

/** The operations of an HttpApi as the contract's own tables of them are. */
const tableOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Table => {
  const table: Record<string, Record<string, Contract.Operation>> = {}
  const first = (schemas: ReadonlyArray<Schema.Top>) => schemas[0] as Schema.Codec<unknown, unknown> | undefined
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      const payload = first(Array.from(endpoint.payload.values()).flatMap(({ schemas }) => schemas))
      const operations = (table[group.identifier] ??= {})
      operations[endpoint.identifier] = {
        method: endpoint.method as Contract.Operation["method"],
        path: endpoint.path.replaceAll(/:(\w+)/gu, "{$1}"),
        ...(endpoint.params === undefined ? {} : { params: endpoint.params as Schema.Codec<unknown, unknown> }),
        ...(payload === undefined ? {} : { payload }),
        success: first(Array.from(successes.values()).flat()) ?? Schema.Unknown,
        errors: Object.fromEntries(
          Array.from(errors, ([status, schemas]) => [status, first(schemas) ?? Schema.Unknown])
        )
      }
    }
  })
  return table
}

/** An id in an answer, of whatever shape the rest of it is; as a number it is the same in a path. */
const idIn = (answer: unknown, name: string) => {
  const field = typeof answer === "object" && answer !== null ? Reflect.get(answer, name) : undefined
  if (typeof field === "number" && Number.isSafeInteger(field)) return String(field)
  return typeof field === "string" && field !== "" ? field : undefined
}

/** What a create makes, by its path, and where its answer names it: a message becomes a run. */
const madeBy = (path: string) =>
  path.endsWith("/queue")
    ? { kind: "run", idOf: (answer: unknown) => idIn(answer, "runId") }
    : {
        kind: path.slice(path.lastIndexOf("/") + 1).replace(/s$/u, ""),
        idOf: (answer: unknown) => idIn(answer, "id")
      }

/**
 * Calls of one operation. A POST is sent by the rules for creates, unless it has `own` headers: then it is sent once.
 */
export const methodOf = (
  transport: Transport["Service"],
  version: ApiVersion,
  operation: Contract.Operation,
  own?: Readonly<Record<string, string>>
) => {
  const base = new URL(transport.baseUrls[version])
  const { method } = operation
  const encode = RequestEncoding.make(operation)
  const path = `${base.pathname.replace(/\/$/u, "")}${operation.path}`
  const { idOf, kind } = madeBy(operation.path)
  const interpret = interpreter(operation, transport.redact, idOf)

  const refuse = (issue: string) =>
    Effect.fail(
      new TransportError({ method, path, origin: base.origin, attempts: 0, reason: new InvalidRequest({ issue }) })
    )
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.flatMap(transport.exchange(version, request), interpret)

  const sendAs = (encoded: HttpClientRequest.HttpClientRequest): Effect.Effect<unknown, unknown> =>
    Effect.flatMap(transport.requestId, (requestId) => {
      const request = HttpClientRequest.setHeader(encoded, "x-request-id", requestId)
      if (method === "GET") return transport.retry(send(request))
      if (own !== undefined) return send(HttpClientRequest.setHeaders(request, own))
      if (method !== "POST") return send(request)
      return transport.create({ kind, method, path, origin: base.origin, requestId, idOf }, (headers) =>
        send(HttpClientRequest.setHeaders(request, headers))
      )
    })

  return (call: RequestEncoding.Call) =>
    Effect.withFiber((fiber) => {
      const { extraBody } = fiber.getRef(CallOptions.Current)
      const isExtended = method === "POST" && extraBody !== undefined
      const encoded = encode(
        isExtended ? { ...call, payload: { ...extraBody, ...(call.payload as object | undefined) } } : call
      )
      return Result.isFailure(encoded) ? refuse(encoded.failure) : sendAs(encoded.success)
    })
}

const clientOf = (version: ApiVersion, table: Table) =>
  Effect.map(Transport, (transport) => {
    const client: Record<string, Record<string, unknown>> = {}
    for (const [group, operations] of Object.entries(table)) {
      client[group] = Object.fromEntries(
        Object.entries(operations).map(([name, operation]) => [name, methodOf(transport, version, operation)])
      )
    }
    return client
  })

/**
 * The operations of one version of the contract, over the Transport: a POST by the rules for creates, a GET by those
 * for reads. A PATCH is sent once.
 */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  version: ApiVersion,
  api: HttpApi.HttpApi<Id, Groups>
): Effect.Effect<Client<Groups>, never, Transport> =>
  Effect.map(clientOf(version, tableOf(api)), (client) => client as object as Client<Groups>)

/** The same from a table of the contract, such as `V4Operations`: effect/http-api is then no part of a program. */
export const fromOperations = <Api>(
  version: ApiVersion,
  operations: Contract.Operations<Api>
): Effect.Effect<Client<Contract.GroupsOf<Api>>, never, Transport> =>
  Effect.map(
    clientOf(version, operations as object as Table),
    (client) => client as object as Client<Contract.GroupsOf<Api>>
  )
