import type * as Config from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * ConfigProvider.ConfigProvider by its key, undefined unless a program provides one: its default reads the environment as
 * a tree of names, 0.7 kB of every client.
 */
const ConfigProvider: Context.Reference<Config.ConfigProvider | undefined> = /* @__PURE__ */ Context.Reference<
  Config.ConfigProvider | undefined
>("effect/ConfigProvider", { defaultValue: () => undefined })

/** Reads a variable. */
export type Read = (name: string) => Effect.Effect<string | undefined, Config.SourceError>

/** Reads variables from the program's ConfigProvider, or from the environment as it is now. An empty one is undefined. */
export const make: Effect.Effect<Read> = /* @__PURE__ */ Effect.map(ConfigProvider, (provider): Read => {
  if (provider !== undefined) return (name) => Effect.map(provider.load([name]), (node) => node?.value)
  const { env } = import.meta as { readonly env?: object }
  const variables: { readonly [name: string]: string | undefined } = { ...globalThis.process?.env, ...env }
  return (name) => Effect.succeed(variables[name] || undefined)
})
