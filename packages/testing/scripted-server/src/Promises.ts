import * as Effect from "effect/Effect"
import { ScriptedServer } from "./ScriptedServer.ts"

/** The part of a promise client that tests use. */
export interface Agent {
  readonly close: () => Promise<void>
}

/** Tests in promises, each with a client of its own of a scripted server over real sockets. */
export const agentTests =
  <A extends Agent, Options extends object>(
    WebAgent: new (options: Options) => A,
    defaults: (address: string) => Options
  ) =>
  (test: (agent: A, server: ScriptedServer["Service"]) => Promise<void>, options?: Partial<Options>) =>
  () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const agent = new WebAgent({ ...defaults(server.address), ...options })
      yield* Effect.ensuring(
        Effect.promise(() => test(agent, server)),
        Effect.promise(() => agent.close())
      )
    }).pipe(Effect.provide(ScriptedServer.layer))

/** Returns the rejection of a promise. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("was not rejected")
}

/** Returns the requests in order, as method and path below the version's base address. */
export const sent = (server: ScriptedServer["Service"]): ReadonlyArray<string> =>
  server.requests.map(({ method, url }) => `${method} ${url.replace(/^\/api\/v\d/u, "")}`)
