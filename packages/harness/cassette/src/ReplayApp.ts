import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Cassette, contentOf } from "./Cassette.ts"
import * as Player from "./Player.ts"

/** Options of a replay. */
interface ReplayOptions {
  /** The header that must carry a key; any key opens a cassette. */
  readonly apiKeyHeader: string
  /** Replay speed relative to the recording. */
  readonly speed: number
  readonly match: Player.Match
  /** Told of each request when its answer is ready. */
  readonly onAnswer?: (answered: Answered) => Effect.Effect<void>
}

/** A request and what it got; `duration_ms` is real time. */
export interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly duration_ms: number
}

const detail = (status: number, text: string) => HttpServerResponse.jsonUnsafe({ detail: text }, { status })

/** An HTTP app that answers as a recorded service did, on the clock: answers and statuses come after as long as then. */
export const make = Effect.fnUntraced(function* (
  cassette: Cassette,
  { apiKeyHeader, match, onAnswer, speed }: ReplayOptions
) {
  const player = Player.make(cassette, match)
  const clock = yield* Clock.Clock
  const now_ms = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const began_ms = now_ms()
  const answer = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { headers, method, url } = request
    const path = /\/api\/v\d+\/.*$/u.exec(url)?.[0]
    if (path === undefined) return detail(404, "A cassette serves /api/v2, /api/v3 and /api/v4")
    if ((headers[apiKeyHeader.toLowerCase()] ?? "") === "") return detail(401, `${apiKeyHeader} is missing`)
    const sent = contentOf(yield* request.text)
    const passed_ms = (now_ms() - began_ms) * speed
    const reply = player.answer({ method, path, sent, idempotencyKey: headers["idempotency-key"] }, passed_ms)
    if ("detail" in reply) return detail(reply.status, reply.detail)
    const { exchange } = reply
    yield* Effect.sleep(exchange.took_ms / speed)
    const { "content-type": contentType, ...rest } = exchange.headers
    const options = { status: exchange.status, headers: rest, ...(contentType === undefined ? {} : { contentType }) }
    if (exchange.got === undefined) return HttpServerResponse.empty(options)
    return HttpServerResponse.text(
      "text" in exchange.got ? exchange.got.text : JSON.stringify(exchange.got.json),
      options
    )
  })
  if (onAnswer === undefined) return answer
  return Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const at_ms = now_ms()
    const response = yield* answer
    yield* onAnswer({ method, path: url, status: response.status, duration_ms: now_ms() - at_ms })
    return response
  })
})
