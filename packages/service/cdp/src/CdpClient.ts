import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CdpError } from "./CdpError.ts"
import type { Commands, Events } from "./Protocol.ts"

type Fields = Readonly<Record<string, unknown>>

/** Parameters of a command: checked if `Commands` lists it, and optional if none is required. */
export type CdpParams<Method extends string> = Method extends keyof Commands ? Commands[Method][0] : Fields

/** The result of a command: typed if `Commands` lists it. */
export type CdpResult<Method extends string> = Method extends keyof Commands ? Commands[Method][1] : Fields

type Arguments<Method extends string> =
  Record<never, never> extends CdpParams<Method>
    ? readonly [params?: CdpParams<Method>]
    : readonly [params: CdpParams<Method>]

/** Commands to one target and events from it, or to and from the browser itself. */
export interface CdpSession {
  /** The session's id; undefined for the browser's own. */
  readonly id: string | undefined
  /** Sends a command and waits for its result. */
  readonly send: <const Method extends keyof Commands | (string & {})>(
    method: Method,
    ...params: Arguments<Method>
  ) => Effect.Effect<CdpResult<Method>, CdpError>
  /** Sends a command, in order with the others, and ignores its result. */
  readonly post: <const Method extends keyof Commands | (string & {})>(
    method: Method,
    ...params: Arguments<Method>
  ) => void
  /** Handles an event, synchronously and in order, until the session ends. */
  readonly on: <Name extends keyof Events>(event: Name, handler: (params: Events[Name]) => void) => void
}

/** One connection to a browser, and the session of the browser itself. */
export interface CdpClient extends CdpSession {
  /** Returns the session with an id, from `Target.attachToTarget` or `Target.attachedToTarget`. */
  readonly session: (id: string) => CdpSession
  /** Returns the number of sessions that handle events. */
  readonly handling: () => number
  /** Waits until a condition holds. It's checked now and after each handled event. */
  readonly until: (holds: () => boolean) => Effect.Effect<void>
  /** Waits until the connection closes. */
  readonly closed: Effect.Effect<void>
}

/** Options of a connection. */
export interface CdpOptions {
  /** Time limit of each command; none by default. */
  readonly timeout?: Duration.Input
}

interface Message {
  readonly id?: number
  readonly result?: Fields
  readonly error?: { readonly message: string; readonly code?: number }
  readonly method?: string
  readonly params?: Fields
  readonly sessionId?: string
}

interface Pending {
  readonly method: string
  readonly sessionId: string | undefined
  readonly resume: (result: Effect.Effect<Fields, CdpError>) => void
}

type Handler = (params: never) => void

/** A client, and the callbacks of its connection. */
export interface Wired {
  readonly client: CdpClient
  readonly onMessage: (message: string | Uint8Array) => void
  readonly onClose: () => void
}

const decoder = new TextDecoder()

/** Reads a message; undefined if it isn't a JSON object. */
const parse = (data: string | Uint8Array): Message | undefined => {
  try {
    const message: unknown = JSON.parse(typeof data === "string" ? data : decoder.decode(data))
    return typeof message === "object" && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

/** Handlers of events by session. A session that ends takes the sessions inside it along. */
const makeHandlers = () => {
  const handlers = new Map<string | undefined, Map<string, Array<Handler>>>()
  const parents = new Map<string, string | undefined>()
  const end = (id: string): void => {
    handlers.delete(id)
    parents.delete(id)
    for (const [child, parent] of parents) if (parent === id) end(child)
  }
  return {
    size: () => handlers.size,
    add: (id: string | undefined, event: string, handler: Handler) => {
      const ofSession = handlers.get(id) ?? new Map<string, Array<Handler>>()
      handlers.set(id, ofSession)
      ofSession.set(event, [...(ofSession.get(event) ?? []), handler])
    },
    /** Runs the handlers of an event. Returns false if there are none. */
    run: (id: string | undefined, event: string, params: Fields): boolean => {
      const inner = params["sessionId"]
      if (event === "Target.attachedToTarget") parents.set(String(inner), id)
      const ofEvent = handlers.get(id)?.get(event)
      for (const handler of ofEvent ?? []) handler(params as never)
      if (event === "Target.detachedFromTarget") end(String(inner))
      return ofEvent !== undefined
    }
  }
}

/** Makes a client over anything that carries messages. */
export const make = (write: (message: string) => void, { timeout }: CdpOptions = {}): Wired => {
  const pending = new Map<number, Pending>()
  const handlers = makeHandlers()
  const checks = new Set<() => void>()
  const closed = Deferred.makeUnsafe<void>()
  let isOpen = true
  let last = 0

  const fail = ({ method, resume }: Pick<Pending, "method" | "resume">, reason: "closed" | "detached") => {
    const message = reason === "closed" ? "The connection to the browser was closed." : "The page was closed."
    resume(Effect.fail(new CdpError({ method, message, reason })))
  }

  const onDetached = (sessionId: unknown) => {
    for (const [id, command] of pending) {
      if (command.sessionId !== sessionId) continue
      pending.delete(id)
      fail(command, "detached")
    }
  }

  const onResponse = (id: number, { error, result = {} }: Message) => {
    const command = pending.get(id)
    pending.delete(id)
    if (command === undefined) return
    if (error === undefined) return command.resume(Effect.succeed(result))
    const { code, message } = error
    const { method } = command
    command.resume(
      Effect.fail(new CdpError({ method, message, reason: "refused", ...(code === undefined ? {} : { code }) }))
    )
  }

  const send = (sessionId: string | undefined, method: string, params: Fields) => {
    const response = Effect.callback<Fields, CdpError>((resume) => {
      if (!isOpen) return fail({ method, resume }, "closed")
      const id = ++last
      // before the command is written, because a refused one gets its response synchronously
      pending.set(id, { method, sessionId, resume })
      write(JSON.stringify({ id, method, params, sessionId }))
      return Effect.sync(() => void pending.delete(id))
    })
    if (timeout === undefined) return response
    const within = Duration.format(Duration.fromInputUnsafe(timeout))
    const message = `The browser did not respond to ${method} within ${within}.`
    return Effect.timeoutOrElse(response, {
      duration: timeout,
      orElse: () => Effect.fail(new CdpError({ method, message, reason: "timeout" }))
    })
  }

  const sessionOf = (id: string | undefined): CdpSession => ({
    id,
    // `Commands` has the types of parameters and results
    send: ((method: string, params: Fields = {}) => send(id, method, params)) as CdpSession["send"],
    post: ((method: string, params: Fields = {}) => {
      if (isOpen) write(JSON.stringify({ id: ++last, method, params, sessionId: id }))
    }) as CdpSession["post"],
    on: (event, handler) => handlers.add(id, event, handler)
  })

  return {
    client: {
      ...sessionOf(undefined),
      session: sessionOf,
      handling: handlers.size,
      until: (holds) =>
        Effect.callback((resume) => {
          if (holds()) return resume(Effect.void)
          const check = () => {
            if (!holds()) return
            checks.delete(check)
            resume(Effect.void)
          }
          checks.add(check)
          return Effect.sync(() => void checks.delete(check))
        }),
      closed: Deferred.await(closed)
    },
    onMessage: (data) => {
      const message = parse(data)
      if (message === undefined) return
      if (message.id !== undefined) return onResponse(message.id, message)
      const { method, params = {}, sessionId } = message
      if (method === undefined) return
      if (method === "Target.detachedFromTarget") onDetached(params["sessionId"])
      if (handlers.run(sessionId, method, params)) for (const check of checks) check()
    },
    onClose: () => {
      isOpen = false
      for (const command of pending.values()) fail(command, "closed")
      pending.clear()
      Deferred.doneUnsafe(closed, Effect.void)
    }
  }
}
