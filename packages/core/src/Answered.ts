import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { WholeAnswer } from "./WholeAnswer.ts"

const decoder = new TextDecoder()

/** The attempt that is answered. */
interface Asked {
  /** Its request without the key. */
  readonly keyless: HttpClientRequest.HttpClientRequest
  readonly requestId: string
  readonly attempt: number
}

/** The answer to one attempt, read to its end. It shows neither its request nor the key. */
export class Answered {
  readonly status: number
  readonly method: string
  /** The whole address of its request. */
  readonly url: string
  /** What its request carried as `X-Request-Id`. */
  readonly requestId: string
  /** Which attempt of its call it answers, from 1. */
  readonly attempt: number
  readonly #whole: WholeAnswer

  constructor({ attempt, keyless, requestId }: Asked, whole: WholeAnswer) {
    this.status = whole.status
    this.method = keyless.method
    this.url = keyless.url
    this.requestId = requestId
    this.attempt = attempt
    this.#whole = whole
  }

  /** A header by its name in lower case. */
  header(name: string): string | undefined {
    return this.#whole.header(name)
  }

  /** The body as text. */
  text(): string {
    return decoder.decode(this.#whole.body)
  }

  /** The answer as Effect's HttpClient gives it, which says that it answers `request`. */
  toResponse(request: HttpClientRequest.HttpClientRequest): HttpClientResponse.HttpClientResponse {
    // a new one: the client's own holds the request that was sent, key and all
    const detached = new Response(this.#whole.body as BodyInit, { headers: this.#whole.headers() })
    return Object.create(HttpClientResponse.fromWeb(request, detached), {
      status: { value: this.status, enumerable: true }
    })
  }
}
