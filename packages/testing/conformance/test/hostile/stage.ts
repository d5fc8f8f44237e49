import { undici } from "@webagent/core/node"
import { ScriptedServer } from "@webagent/scripted-server"
import { WebAgent, type WebAgentOptions } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"

/** What a client sends with: it is held to the same over either. */
export const transports = {
  undici: { httpClient: undici },
  fetch: { fetch: globalThis.fetch },
  "undici with a headers timeout": { httpClient: undici, timeouts: { headers: "20 seconds" } },
  "fetch with a headers timeout": { fetch: globalThis.fetch, timeouts: { headers: "20 seconds" } }
} satisfies Record<string, WebAgentOptions>

/** Each transport, and each once more with a timeout for the headers. */
export const names = Object.keys(transports) as ReadonlyArray<keyof typeof transports>

export const key = "wak_ca/n=a&r\"y'<51c9>-7e"

/** A test in promises with a client over one of the transports, its log, and a service that does as the test says. */
export const withAgent =
  (
    transport: keyof typeof transports,
    options: WebAgentOptions,
    test: (agent: WebAgent, server: ScriptedServer["Service"], log: ReadonlyArray<string>) => Promise<void>
  ) =>
  () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const log: Array<string> = []
      const agent = new WebAgent({
        baseUrl: server.address,
        apiKey: key,
        log: (level, message) => void log.push(`${level} ${message}`),
        ...transports[transport],
        ...options
      })
      yield* Effect.ensuring(
        Effect.promise(() => test(agent, server, log)),
        Effect.promise(() => agent.close())
      )
    }).pipe(Effect.provide(ScriptedServer.layer))

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** How a promise ends, without a rejection. */
export const settled = async (promise: Promise<unknown>) => (await Promise.allSettled([promise]))[0]

/**
 * Whether a promise is settled without waiting for any timer: within some turns of the event loop. A machine that is slow
 * is slow in its turns, too.
 */
export const isSettledAtOnce = async (promise: Promise<unknown>) => {
  const turns = async () => {
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    return false
  }
  return Promise.race([settled(promise).then(() => true), turns()])
}

/** Hooks that know when the first attempt is over: the pause before the second one begins in that turn. */
export const firstAttempt = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { hooks: { onResponse: () => resolve() }, over: promise }
}
