import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CdpMessage, CdpTransport } from "../ports/BrowserPool.ts"

/** A command was refused, or its page or browser is gone. */
export class CdpError extends Data.TaggedError("CdpError")<{
  readonly method: string
  readonly message: string
  /** The part that is gone, so that each further command to it is refused; null if the browser refused this command. */
  readonly gone: "page" | "browser" | null
}> {}

/** Event that a browser sends on its own. */
export interface CdpEvent {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** The page that it is about; undefined for the browser. */
  readonly sessionId: string | undefined
}

/** Commands to a browser's DevTools, for the server itself. */
export interface CdpClient {
  /** Carries out a command, in the session of a page or in that of the browser. */
  readonly send: (
    method: string,
    params?: Readonly<Record<string, unknown>>,
    sessionId?: string
  ) => Effect.Effect<Readonly<Record<string, unknown>>, CdpError>
  /** Sends a command, in order with the others, and forgets its answer. */
  readonly post: (method: string, params?: Readonly<Record<string, unknown>>, sessionId?: string) => void
  /** Hears every event, in order and at once, until the scope closes. */
  readonly listen: (listener: (event: CdpEvent) => void) => Effect.Effect<void, never, Scope.Scope>
  /** Waits for the connection to end. */
  readonly ended: Effect.Effect<void>
}

interface Message {
  readonly id?: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly sessionId?: string
}

interface Waiting {
  readonly method: string
  readonly sessionId: string | undefined
  readonly resume: (answer: Effect.Effect<Readonly<Record<string, unknown>>, CdpError>) => void
}

const decoder = new TextDecoder()

/** A client, and what its connection tells it. */
export interface Wired {
  readonly client: CdpClient
  readonly hear: (message: CdpMessage) => void
  readonly end: () => void
}

/** A client over anything that carries messages. */
export const make = (say: (message: string) => void): Wired => {
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<(event: CdpEvent) => void>()
  const ended = Deferred.makeUnsafe<void>()
  let isOpen = true
  let last = 0

  const over = (method: string) =>
    Effect.fail(new CdpError({ method, message: "The connection to the browser ended.", gone: "browser" }))

  const write = (
    id: number,
    method: string,
    params: Readonly<Record<string, unknown>> | undefined,
    sessionId: string | undefined
  ) => say(JSON.stringify({ id, method, params: params ?? {}, sessionId }))

  /** A page that is gone answers nothing any more. */
  const detach = (sessionId: unknown) => {
    for (const [id, one] of waiting) {
      if (one.sessionId !== sessionId) continue
      waiting.delete(id)
      one.resume(Effect.fail(new CdpError({ method: one.method, message: "The page was closed.", gone: "page" })))
    }
  }

  const answer = (id: number, { error, result = {} }: Message) => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) one?.resume(Effect.succeed(result))
    else one?.resume(Effect.fail(new CdpError({ method: one.method, message: error.message, gone: null })))
  }

  const client: CdpClient = {
    send: (method, params, sessionId) =>
      Effect.callback((resume) => {
        if (!isOpen) return resume(over(method))
        const id = ++last
        // before the command: one that is refused gets its response at once
        waiting.set(id, { method, sessionId, resume })
        write(id, method, params, sessionId)
        return Effect.sync(() => void waiting.delete(id))
      }),
    post: (method, params, sessionId) => {
      if (isOpen) write(++last, method, params, sessionId)
    },
    listen: (listener) =>
      Effect.acquireRelease(
        Effect.sync(() => void listeners.add(listener)),
        () => Effect.sync(() => void listeners.delete(listener))
      ),
    ended: Deferred.await(ended)
  }

  return {
    client,
    hear: (data) => {
      const message: Message = JSON.parse(typeof data === "string" ? data : decoder.decode(data))
      if (message.id !== undefined) return answer(message.id, message)
      const { method, params = {}, sessionId } = message
      if (method === undefined) return
      if (method === "Target.detachedFromTarget") detach(params["sessionId"])
      for (const listener of listeners) listener({ method, params, sessionId })
    },
    end: () => {
      isOpen = false
      for (const { method, resume } of waiting.values()) resume(over(method))
      waiting.clear()
      Deferred.doneUnsafe(ended, Effect.void)
    }
  }
}

/** A client over a connection of the pool, wherever its browser runs. */
export const over = Effect.fnUntraced(function* ({
  ended,
  receive,
  send
}: CdpTransport): Effect.fn.Return<CdpClient, never, Scope.Scope> {
  const waiting: Array<string> = []
  let mustWait = false
  const { client, end, hear } = make((message) => {
    if (mustWait) waiting.push(message)
    else mustWait = !send(message)
  })
  receive({
    onMessage: hear,
    onDrain: () => {
      mustWait = false
      for (let next = waiting.shift(); next !== undefined; next = mustWait ? undefined : waiting.shift()) {
        mustWait = !send(next)
      }
    }
  })
  yield* Effect.forkScoped(Effect.andThen(ended, Effect.sync(end)))
  return client
})
