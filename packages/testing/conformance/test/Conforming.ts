import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { operations } from "./Operation.ts"

/** A request and what it was answered. */
export interface Exchange {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly status: number
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

type Violations = ReadonlyArray<string>

const parse = (body: Uint8Array): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)),
    catch: (error) => `the body is not JSON in UTF-8: ${String(error)}`
  })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const literals = (ast: SchemaAST.AST): ReadonlyArray<unknown> =>
  ast._tag === "Literal" ? [ast.literal] : ast._tag === "Union" ? ast.types.flatMap(literals) : []

/** Fields that a run has only while it waits. */
const whileWaiting = ["browserQueue", "replay", "waitingFor"]

/**
 * What the contract's open schemas let pass and a server of ours does not send: a field that the contract does not
 * list, a listed field that is missing, a status that it does not know. Records of arbitrary properties are free.
 */
const inexact = (ast: SchemaAST.AST, value: unknown, at: string): Violations => {
  switch (ast._tag) {
    case "Objects": {
      if (!isRecord(value) || ast.propertySignatures.length === 0) return []
      const listed = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), type]))
      return [
        ...Object.keys(value).flatMap((key) => (listed.has(key) ? [] : [`${at}.${key} is not in the contract`])),
        ...[...listed].flatMap(([key, type]) =>
          key in value || whileWaiting.includes(key)
            ? inexact(type, value[key] ?? null, `${at}.${key}`)
            : [`${at}.${key} is missing`]
        )
      ]
    }
    case "Arrays":
      return Array.isArray(value)
        ? value.flatMap((item, index) => ast.rest.flatMap((type) => inexact(type, item, `${at}[${index}]`)))
        : []
    case "Union": {
      const known = literals(ast)
      if (known.length > 0)
        return known.includes(value) ? [] : [`${at} is ${JSON.stringify(value)}, not one of ${known}`]
      return value === null ? [] : ast.types.flatMap((type) => inexact(type, value, at))
    }
    default:
      return []
  }
}

const decoded = (schema: Schema.Codec<unknown, unknown>, body: Uint8Array): Violations => {
  const json = parse(body)
  if (Result.isFailure(json)) return [json.failure]
  // what a reader leaves out where its form is another is not to be sent at all
  for (const strict of [schema, Schema.toEncoded(schema)]) {
    const result = Schema.decodeUnknownResult(strict, { errors: "all" })(json.success)
    if (Result.isFailure(result)) return [`the body does not decode: ${result.failure.message}`]
  }
  return inexact(Schema.toEncoded(schema).ast, json.success, "body")
}

const detailed = Schema.Struct({ detail: Schema.String })

/** What our server serves beside the operations, and the statuses of each. */
const documents = [
  { pattern: /^\/(?:health)?$/u, statuses: [200], types: /^application\/json$/u },
  { pattern: /^\/api\/v[234]\/openapi\.json$/u, statuses: [200], types: /^application\/json$/u },
  { pattern: /^\/api\/v[234]\/docs$/u, statuses: [200], types: /^text\/html/u },
  { pattern: /^\/api\/v4\/browsers\/[^/]+\/cdp$/u, statuses: [403, 404, 410, 426], types: /^application\/json$/u },
  { pattern: /^\/recordings\/[^/]+$/u, statuses: [200, 404], types: /^(?:application\/json|image\/gif)$/u }
]

const ofMethod = (allowed: ReadonlyArray<string>) =>
  allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))

/** The methods of a path, none if nothing is there. Slashes may be doubled, and a query says nothing. */
const methodsOf = (target: string): ReadonlyArray<string> => {
  const path = pathOf(target)
  const methods = [
    ...operations.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])),
    ...documents.flatMap(({ pattern }) => (pattern.test(path) ? ["GET"] : []))
  ]
  return [...new Set(ofMethod(methods))]
}

const unescaped = (segment: string) => {
  const text = Result.getOrElse(
    Result.try(() => decodeURIComponent(segment)),
    () => segment
  )
  return text.includes("/") ? segment : text
}

const pathOf = (target: string) => {
  const path = (target.split(/[?;#]/u, 1)[0] ?? target).replaceAll(/\/{2,}/gu, "/")
  return path.split("/").map(unescaped).join("/")
}

const listOf = (header: string | undefined) => (header ?? "").split(/\s*,\s*/u).toSorted()

/** An answer that only says what is wrong: `{ detail }` and nothing else. */
const says = (exchange: Exchange, detail?: string): Violations => {
  const found = exchange.method === "HEAD" ? [] : decoded(detailed, exchange.body)
  if (found.length > 0 || detail === undefined || exchange.method === "HEAD") return found
  const json = Result.getOrUndefined(parse(exchange.body))
  return isRecord(json) && json["detail"] === detail ? [] : [`detail is not "${detail}"`]
}

/** What every answer keeps, whatever it answers. */
const form = ({ body, headers, method, status }: Exchange, types: RegExp): Violations => [
  ...(types.test(headers["content-type"] ?? "") ? [] : [`content-type is ${headers["content-type"]}`]),
  ...(method === "HEAD" && body.length > 0 ? ["HEAD has a body"] : []),
  ...(method === "HEAD" || headers["content-length"] === undefined || Number(headers["content-length"]) === body.length
    ? []
    : [`content-length is ${headers["content-length"]}, the body has ${body.length} bytes`]),
  ...(status === 429 && !/^(?:\d+|\w{3}, .* GMT)$/u.test(headers["retry-after"] ?? "")
    ? ["429 has no Retry-After"]
    : [])
]

/**
 * What an answer of our server breaks of the contract: an undeclared status, a body that does not decode as the one
 * that is declared for its status, a field that is not declared, a 405 without the right `Allow`. None is good.
 */
export const violations = (exchange: Exchange): Violations => {
  const { headers, method, status, target } = exchange
  const path = pathOf(target)
  const allowed = methodsOf(target)
  const json = /^application\/json$/u
  if (allowed.length === 0) {
    return [...(status === 404 ? says(exchange, "Not Found") : [`status ${status}`]), ...form(exchange, json)]
  }
  if (!allowed.includes(method)) {
    const allow = listOf(headers["allow"])
    return [
      ...(status === 405 ? says(exchange, "Method Not Allowed") : [`status ${status}, not 405`]),
      ...(allow.join() === allowed.toSorted().join()
        ? []
        : [`Allow is ${headers["allow"]}, not ${allowed.join(", ")}`]),
      ...form(exchange, json)
    ]
  }
  const operation = operations.find(
    (operation) => operation.pattern.test(path) && ofMethod([operation.method]).includes(method)
  )
  if (operation === undefined) {
    const document = documents.find(({ pattern }) => pattern.test(path))
    if (document?.statuses.includes(status) !== true) return [`status ${status} is not declared`]
    return [...(status === 200 ? [] : says(exchange)), ...form(exchange, document.types)]
  }
  const declared = operation.answers.get(status)
  if (declared === undefined) return [`status ${status} is not declared for ${operation.name}`]
  if (status === 204) return exchange.body.length === 0 ? [] : ["204 has a body"]
  return [...(method === "HEAD" ? [] : decoded(declared, exchange.body)), ...form(exchange, json)]
}

/** One sentence for an answer that breaks the contract. */
export const complaint = (exchange: Exchange, found: Violations): string =>
  `${exchange.method} ${exchange.target.slice(0, 300)} was answered ${exchange.status} ` +
  `${new TextDecoder().decode(exchange.body).slice(0, 500)}: ${found.join("; ")}`

/** The client below with every answer held to the contract: one that breaks it is a defect. */
export const layer: Layer.Layer<HttpClient.HttpClient, never, HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transform((execute, request) =>
      Effect.tap(execute, (response) =>
        Effect.flatMap(response.arrayBuffer, (buffer) => {
          const { pathname, search } = new URL(request.url)
          const exchange: Exchange = {
            method: request.method,
            target: `${pathname}${search}`,
            status: response.status,
            headers: { ...response.headers },
            body: new Uint8Array(buffer)
          }
          const found = violations(exchange)
          return found.length === 0 ? Effect.void : Effect.die(new Error(complaint(exchange, found)))
        })
      )
    )
  )
)
