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

  /**
   * Returns a header of the response.
   *
   * @param name - The name in lower case.
   * @returns The value. Undefined if the response doesn't have the header.
   * @example
   * ```ts
   * import type { Answered } from "@webagent/core"
   *
   * export const pause_s = (response: Answered) => Number(response.header("retry-after") ?? 0)
   * ```
   */
  header(name: string): string | undefined {
    return this.#whole.header(name)
  }

  /**
   * Decodes the body as UTF-8.
   *
   * @returns The text.
   * @example
   * ```ts
   * import type { Answered } from "@webagent/core"
   *
   * export const json = (response: Answered): unknown => JSON.parse(response.text())
   * ```
   */
  text(): string {
    return decoder.decode(this.#whole.body)
  }

  /**
   * Returns all headers of the response.
   *
   * @returns The values by their names in lower case.
   * @example
   * ```ts
   * import type { Answered } from "@webagent/core"
   *
   * export const names = (response: Answered) => Object.keys(response.headers())
   * ```
   */
  headers(): Readonly<Record<string, string>> {
    return this.#whole.headers()
  }

  /**
   * Returns the body as it came, and the request of the response, without its key.
   *
   * @returns The bytes and the request.
   * @example
   * ```ts
   * import type { Answered } from "@webagent/core"
   *
   * export const size_bytes = (response: Answered) => response.parts().body.byteLength
   * ```
   */
  parts(): { readonly body: ArrayBuffer | Uint8Array; readonly request: Outgoing } {
    return { body: this.#whole.body, request: this.#outgoing }
  }
}
