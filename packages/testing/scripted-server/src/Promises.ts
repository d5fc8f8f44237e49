import * as Effect from "effect/Effect"
import { ScriptedServer } from "./ScriptedServer.ts"

/** What a client of promises has to be for a test. */
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

/** What a promise was rejected with. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("was not rejected")
}

/** What was asked for, in order, as method and path below the version's base address. */
export const sent = (server: ScriptedServer["Service"]): ReadonlyArray<string> =>
  server.requests.map(({ method, url }) => `${method} ${url.replace(/^\/api\/v\d/u, "")}`)
