import * as Contract from "@webagent/contract"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Types from "effect/Types"
import { interpreter } from "./Answer.ts"
import * as CallOptions from "./CallOptions.ts"
import { mayHaveActed } from "./Creates.ts"
import type { CreateOutcomeUnknown } from "./CreateOutcomeUnknown.ts"
import type { CallRequest, PlainRequest } from "./Outgoing.ts"
import * as RequestEncoding from "./RequestEncoding.ts"
import { isGone, ofOptional, type OperationUnavailableError } from "./OperationUnavailableError.ts"
import * as RequestId from "./RequestId.ts"
import * as Settings from "./Settings.ts"
import type { TooManyRequestsError } from "./TooManyRequestsError.ts"
import * as Trace from "./Trace.ts"
import { Transport } from "./Transport.ts"
import { refused, type TransportError } from "./TransportError.ts"

/** Errors that every operation can fail with. */
export type CallError =
  | Contract.UnauthorizedError
  | Contract.HTTPValidationError
  | Contract.ContentTooLargeError
  | TooManyRequestsError
  | TransportError

/** Errors that every create can fail with. */
export type CreateError = CallError | CreateOutcomeUnknown

type Failure<Of> =
  | CallError
  | (Of extends { readonly errors: ReadonlyArray<Schema.Schema<infer E>> } ? E : never)
  | (Of extends { readonly method: "POST"; readonly status?: undefined } ? CreateOutcomeUnknown : never)

type Field<Of, Name extends string> = Of extends { readonly [Key in Name]: Schema.Schema<infer A> }
  ? { readonly [Key in Name]: A }
  : unknown

type Method<Of extends Contract.Operation> = (
  request: Types.Simplify<Field<Of, "params"> & Field<Of, "payload">>
) => Effect.Effect<Of["success"]["Type"], Failure<Of>>

type Group = Readonly<Record<string, Contract.Operation>>

/** The methods of a group of operations that a service may lack. */
export type Optional<Operations extends Group> = {
  readonly [Name in keyof Operations]: (
    input: Parameters<Method<Operations[Name]>>[0] & { readonly query?: object },
    options?: CallOptions.CreateOptions
  ) => Effect.Effect<Operations[Name]["success"]["Type"], Failure<Operations[Name]> | OperationUnavailableError>
}

/** An effect for every operation of a table of the contract, by group and name. */
export type Client<Table extends Contract.Operations> = {
  readonly [Group in keyof Table]: { readonly [Name in keyof Table[Group]]: Method<Table[Group][Name]> }
}

/** An id in an answer, of whatever shape the rest of it is; as a number it is the same in a path. */
const idIn = (answer: unknown, name: string) => {
  const field: unknown = Reflect.get(Object(answer), name)
  if (typeof field === "number" && Number.isSafeInteger(field)) return String(field)
  return typeof field === "string" && field !== "" ? field : undefined
}

/**
 * Returns the kind of resource that a create makes, by its path, and the field that names it in the response: a message
 * becomes a run.
 */
const madeBy = (path: string) =>
  path.endsWith("/queue")
    ? { kind: "run", idOf: (answer: unknown) => idIn(answer, "runId") }
    : {
        kind: path.slice(path.lastIndexOf("/") + 1).replace(/s$/u, ""),
        idOf: (answer: unknown) => idIn(answer, "id")
      }

/** A POST that creates something responds with 201. Any other, such as a cancel, does the same when it's repeated. */
const isCreate = ({ method, status }: Contract.Operation) => method === "POST" && status === undefined

/**
 * Makes the call of one operation. A POST that creates something is sent by the rules for creates. Other operations are
 * retried as reads are, except for a PATCH and for requests with `own` headers, which are sent once. A DELETE or purge
 * that finds nothing has succeeded if the response to an earlier attempt was lost.
 *
 * @param transport - Sends the requests.
 * @param version - The API version whose address is used.
 * @param operation - The operation of the contract.
 * @param own - Headers of a request that is sent once.
 * @returns A function that takes the parameters and the payload, and returns the decoded response as an effect.
 * @example
 * ```ts
 * import { V4Operations } from "@webagent/contract/v4"
 * import { ContractClient, Transport } from "@webagent/core"
 *
 * export const read = (id: string) =>
 *   Transport.use((transport) =>
 *     ContractClient.methodOf(transport, "v4", V4Operations.runs.get)({ params: { run_id: id } })
 *   )
 * ```
 */
export const methodOf = (
  transport: Transport["Service"],
  version: ApiVersion,
  operation: Contract.Operation,
  own?: Readonly<Record<string, string>>
) => {
  const base = new URL(transport.baseUrls[version])
  const { method } = operation
  const isCreated = isCreate(operation)
  const isRead = own === undefined && !isCreated && method !== "PATCH"
  const encode = RequestEncoding.make(operation)
  const path = `${base.pathname.replace(/\/$/u, "")}${operation.path}`
  const { idOf, kind } = madeBy(operation.path)
  const interpret = interpreter(
    { success: operation.success, errors: Contract.errorsOf(operation) },
    transport.redact,
    idOf
  )

  const isVoid = operation.status === 204
  const gone = isVoid ? undefined : {}
  const remove = (attempt: Effect.Effect<unknown, unknown>) =>
    Effect.suspend(() => {
      let mayBeGone = false
      const noted = Effect.tapError(attempt, (error) => Effect.sync(() => (mayBeGone ||= mayHaveActed(error))))
      return transport
        .retry(noted)
        .pipe(Effect.catch((error) => (mayBeGone && isGone(error) ? Effect.succeed(gone) : Effect.fail(error))))
    })
  const refuse = (issue: string) => refused({ method, path, origin: base.origin }, issue)
  const send = (request: CallRequest) => Effect.flatMap(transport.exchange(version, request), interpret)
  const sendAs = (encoded: PlainRequest, chosenId: string | undefined): Effect.Effect<unknown, unknown> => {
    const issue = chosenId === undefined ? undefined : RequestId.issueOf(chosenId)
    if (issue !== undefined) return refuse(issue)
    const requestId = chosenId ?? transport.newRequestId()
    if (isRead) {
      const attempt = send({ ...encoded, requestId })
      return method === "DELETE" || isVoid ? remove(attempt) : transport.retry(attempt)
    }
    const sendWith = (more?: Readonly<Record<string, string>>) =>
      send({ ...encoded, headers: { ...encoded.headers, ...more }, requestId })
    if (!isCreated || own !== undefined) return sendWith(own)
    return transport.create({ kind, method, path, origin: base.origin, requestId, idOf }, sendWith)
  }

  return (call: RequestEncoding.Input) =>
    Effect.withFiber(({ context }) => {
      const { options, requestId } = Settings.of(context)
      const { extraBody } = options
      const isExtended = method === "POST" && extraBody !== undefined
      const encoded = encode(
        isExtended ? { ...call, payload: { ...extraBody, ...(call.payload as object | undefined) } } : call
      )
      return Result.isFailure(encoded) ? refuse(encoded.failure) : sendAs(encoded.success, requestId)
    })
}

/**
 * Makes the calls of a table of operations, such as `V4Operations`. Creates are sent by the rules for creates, reads
 * are retried, and a PATCH is sent once.
 *
 * @param version - The API version whose address is used.
 * @param table - The operations by group and name.
 * @returns A function for each operation, by group and name.
 * @example
 * ```ts
 * import { V4Operations } from "@webagent/contract/v4"
 * import { ContractClient } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const status = (id: string) =>
 *   Effect.flatMap(ContractClient.make("v4", V4Operations), ({ runs }) => runs.status({ params: { run_id: id } }))
 * ```
 */
export const make = <const Table extends Contract.Operations>(
  version: ApiVersion,
  table: Table
): Effect.Effect<Client<Table>, never, Transport> =>
  Effect.map(Transport, (transport) => {
    const client: Record<string, Record<string, unknown>> = {}
    for (const [group, operations] of Object.entries(table)) {
      client[group] = Object.fromEntries(
        Object.entries(operations).map(([name, operation]) => [name, methodOf(transport, version, operation)])
      )
    }
    return client as object as Client<Table>
  })

/** The ids of a request's path as attributes of a span: `run_id` as `run.id`. */
const attributesOf = (params: RequestEncoding.Input["params"] = {}) =>
  Object.fromEntries(Object.entries(params).map(([name, id]) => [name.replace("_", "."), id]))

/**
 * Makes the calls of operations that the description doesn't show, and that a service may lack.
 *
 * @param version - The API version whose address is used.
 * @param service - The name of the service in spans, such as `Runs`.
 * @param operations - The operations by name, such as `RunExtensions`.
 * @returns A function for each operation. It fails with `OperationUnavailableError` if the service lacks the operation.
 * @example
 * ```ts
 * import { RunExtensions } from "@webagent/contract/v4"
 * import { ContractClient } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const latest = Effect.flatMap(ContractClient.makeOptional("v4", "Runs", RunExtensions), ({ list }) =>
 *   list({ query: { limit: 5 } })
 * )
 * ```
 */
export const makeOptional = <const Operations extends Group>(
  version: ApiVersion,
  service: string,
  operations: Operations
): Effect.Effect<Optional<Operations>, never, Transport> =>
  Effect.map(Transport, (transport) => {
    const optional = Object.entries(operations).map(([name, operation]) => {
      const call = methodOf(transport, version, operation)
      const described = `${operation.method} ${operation.path}`
      return [
        name,
        (input: RequestEncoding.Input = {}, options?: CallOptions.CreateOptions) =>
          call(input).pipe(
            Effect.mapError((error) => ofOptional(error, described)),
            CallOptions.provide(options),
            Trace.span(`${version}.${service}.${name}`, { attributes: attributesOf(input.params) })
          )
      ]
    })
    return Object.fromEntries(optional) as Optional<Operations>
  })
