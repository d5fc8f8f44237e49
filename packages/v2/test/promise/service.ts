import { ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import { WebAgent, type WebAgentOptions } from "../../src/promise/index.ts"

/** A test in promises, with a client of a scripted server over real sockets. */
export const withAgent =
  (test: (agent: WebAgent, server: ScriptedServer["Service"]) => Promise<void>, options: WebAgentOptions = {}) =>
  () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const agent = new WebAgent({ baseUrl: server.address, apiKey: "wak_canary", ...options })
      yield* Effect.ensuring(
        Effect.promise(() => test(agent, server)),
        Effect.promise(() => agent.close())
      )
    }).pipe(Effect.provide(ScriptedServer.layer))

/** What a promise was rejected with. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("was not rejected")
}

/** What was asked for, in order. */
export const sent = (server: ScriptedServer["Service"]) =>
  server.requests.map(({ method, url }) => `${method} ${url.replace("/api/v2", "")}`)
