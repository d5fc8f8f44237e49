import * as Context from "effect/Context"

/** Who may use the console: `key` after a sign-in with a key, `open` without one, `off` for no console. */
export type ConsoleAccess = "key" | "open" | "off"

/** The console of a server. */
export interface ConsoleSettingsService {
  /** `open` is for a simulated service on a loopback address, which holds nothing of value. */
  readonly access: ConsoleAccess
  /** The folder of the console's files, if it's another one than that of this package. */
  readonly folder?: string
}

/** The console of a server; a sign-in with a key by default. */
export const ConsoleSettings: Context.Reference<ConsoleSettingsService> = Context.Reference(
  "@webagent/server/ConsoleSettings",
  { defaultValue: (): ConsoleSettingsService => ({ access: "key" }) }
)
