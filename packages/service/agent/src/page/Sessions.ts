import type { CdpClient, CdpError } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Commands, Events } from "./Protocol.ts"

/** The DevTools of one target, or of the browser itself. */
export interface Session {
  readonly id: string | undefined
  readonly send: <Method extends keyof Commands>(
    method: Method,
    params: Commands[Method][0]
  ) => Effect.Effect<Commands[Method][1], CdpError>
  /** Sends a command, in order with the others, and does not wait for its answer. */
  readonly post: <Method extends keyof Commands>(method: Method, params: Commands[Method][0]) => void
  /** Hears an event for as long as the session is there. */
  readonly on: <Name extends keyof Events>(event: Name, handler: (params: Events[Name]) => void) => void
}

/** The sessions of one connection. */
export interface Sessions {
  readonly browser: Session
  readonly of: (id: string) => Session
  /** Hears nothing more of a session. */
  readonly forget: (session: Pick<Session, "id">) => void
  /** Returns the number of sessions with listeners. */
  readonly count: () => number
  /** Waits until something holds, which may change with any event. */
  readonly until: (holds: () => boolean) => Effect.Effect<void>
}

type Handler = (params: never) => void

/** Tells the events of a connection by session. */
export const make = Effect.fnUntraced(function* (client: CdpClient): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const sessions = new Map<string | undefined, Map<string, Array<Handler>>>()
  const waiting = new Set<() => void>()

  const of = (id: string | undefined): Session => ({
    id,
    // the protocol says what each command answers, and what each event tells
    send: (method, params) => client.send(method, params, id) as Effect.Effect<never, CdpError>,
    post: (method, params) => client.post(method, params, id),
    on: (event, handler) => {
      const handlers = sessions.get(id) ?? new Map<string, Array<Handler>>()
      sessions.set(id, handlers)
      handlers.set(event, [...(handlers.get(event) ?? []), handler])
    }
  })

  yield* client.listen(({ method, params, sessionId }) => {
    const handlers = sessions.get(sessionId)?.get(method)
    if (handlers === undefined) return
    for (const handler of handlers) handler(params as never)
    for (const check of waiting) check()
  })

  return {
    browser: of(undefined),
    of,
    forget: ({ id }) => void sessions.delete(id),
    count: () => sessions.size,
    until: (holds) =>
      Effect.callback((resume) => {
        if (holds()) return resume(Effect.void)
        const check = () => {
          if (!holds()) return
          waiting.delete(check)
          resume(Effect.void)
        }
        waiting.add(check)
        return Effect.sync(() => void waiting.delete(check))
      })
  }
})
