import type { Outgoing } from "./Outgoing.ts"
import type { WholeAnswer } from "./WholeAnswer.ts"

const decoder = new TextDecoder()

/** The answer to one attempt, read to its end. It shows neither its request nor the key. */
export class Answered {
  declare readonly status: number
  declare readonly method: string
  /** The whole address of its request. */
  declare readonly url: string
  /** The `X-Request-Id` of the request. */
  declare readonly requestId: string
  /** Which attempt of its call it answers, from 1. */
  declare readonly attempt: number
  readonly #outgoing: Outgoing
  readonly #whole: WholeAnswer

  constructor(outgoing: Outgoing, whole: WholeAnswer) {
    this.status = whole.status
    this.method = outgoing.method
    this.url = outgoing.url
    this.requestId = outgoing.requestId
    this.attempt = outgoing.attempt
    this.#outgoing = outgoing
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

  /** All headers, by their names in lower case. */
  headers(): Readonly<Record<string, string>> {
    return this.#whole.headers()
  }

  /** The body as it came, and the request that it answers, which is without the key. */
  parts(): { readonly body: ArrayBuffer | Uint8Array; readonly request: Outgoing } {
    return { body: this.#whole.body, request: this.#outgoing }
  }
}
