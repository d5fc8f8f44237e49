import { connectionErrors } from "@webagent/cli/PlatformErrorText"
import { unreachable, type UserError } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { program } from "./program.ts"

/** A running server, and a key of it. */
export interface Server {
  readonly address: string
  readonly key: Redacted.Redacted
  /** The flag or environment variable that has the key. */
  readonly keyFrom: string
}

/** Sends requests by fetch. A redirect would take the key to another address, so it isn't followed. */
export const layerFetch = Layer.provide(
  FetchHttpClient.layer,
  Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" })
)

/** Time that a response may take. */
const patience = "10 seconds"

/** Rows of a page, and ids of a request. */
export const pageRows = 100

/** The reason in the innermost cause, which has the code of the system. */
const whyOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "no response"
  const code = "code" in error ? String(error.code) : ""
  return connectionErrors[code] ?? (error.cause === undefined ? code || error.message : whyOf(error.cause))
}

/** Errors that only some operations have. Their commands handle them. */
const own = ["NotFoundError", "ConflictError"] as const

type Own<E> = Extract<E, { readonly _tag: (typeof own)[number] }>

const isOwn = <E extends { readonly _tag: string }>(error: E): error is Own<E> => own.some((tag) => tag === error._tag)

interface Failure {
  readonly _tag: string
  readonly message: string
}

/** Sends requests of the admin API to a server. */
export const makeAsk = ({ address, keyFrom }: Server) => {
  const silent = (why: string) => unreachable(`No server responds at ${address} (${why})`, ". Is it running?")
  const isOther = (problem: string) =>
    unreachable(`${address} ${problem}`, ". --server takes the address of a webagent-server of this version.")
  const refused = unreachable(
    `${address} refuses the API key in ${keyFrom}`,
    `. Create one at the server's machine: ${program} keys create --data FILE --name ops --scope admin`
  )
  const byStatus = (status: number) => {
    if (status === 401) return refused
    if (status === 404 || status === 405) return isOther("has no admin API")
    return isOther(status < 300 ? "doesn't respond as the admin API does" : `responds with HTTP ${status}`)
  }
  const sentenceOf = (error: Failure): UserError => {
    if (HttpClientError.isHttpClientError(error)) {
      const { reason } = error
      return "response" in reason ? byStatus(reason.response.status) : silent(whyOf(reason))
    }
    if (error._tag === "UserError") return error as UserError
    if (error._tag === "UnauthorizedError") return refused
    if (error._tag === "SchemaError") return byStatus(200)
    return unreachable(`${address} refuses this: ${error.message.replace(/\.$/u, "")}`, ".")
  }

  /** Sends a request. Errors that every operation has become a sentence. */
  return <A, E extends Failure>(request: Effect.Effect<A, E>): Effect.Effect<A, Own<E> | UserError> =>
    request.pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(silent(`nothing within ${patience}`))
      }),
      Effect.mapError((error) => (isOwn(error) ? (error as Own<E>) : sentenceOf(error)))
    )
}

interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
}

/** Reads pages until there are no more, or this many rows. A page may be empty and not the last one. */
export const walk = <Row, E>(
  page: (query: { readonly cursor?: string; readonly limit: number }) => Effect.Effect<Page<Row>, E>,
  most = Number.POSITIVE_INFINITY
) =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    let { next, rows: some } = yield* page({ limit: pageRows })
    rows.push(...some)
    while (next !== null && rows.length < most) {
      ;({ next, rows: some } = yield* page({ cursor: next, limit: pageRows }))
      rows.push(...some)
    }
    return rows.slice(0, most)
  })
