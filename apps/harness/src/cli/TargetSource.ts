import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { type UserError, usage } from "@webagent/cli/UserError"
import * as Capabilities from "../targets/Capabilities.ts"
import { addressOf, connect, type Target } from "../targets/Target.ts"
import { program } from "./Program.ts"
import type { RunOptions } from "./RunFlags.ts"

/** The embedded simulated service; the server's modules are loaded only here. */
export const embedded = (options: Pick<RunOptions, "seed" | "control"> & { readonly keepOpen?: boolean | undefined }) =>
  options.control !== undefined
    ? Effect.fail(usage("--control applies only to the server at --target. Remove --control, or name --target."))
    : Effect.promise(() => import("../targets/EmbeddedTarget.ts")).pipe(
        Effect.flatMap((module) => module.start(options.seed, options.keepOpen)),
        Effect.mapError((error) => usage(`The simulated service cannot start: ${error.message}`))
      )

/** Looks once whether the service answers at an address, with the key that a variable holds. */
export const remote = Effect.fnUntraced(function* (
  options: Pick<RunOptions, "target" | "apiKeyEnv" | "apiKeyHeader" | "allowPaid" | "v2SessionId"> &
    Partial<Pick<RunOptions, "control" | "evaluation">>
) {
  const { allowPaid, apiKeyEnv, v2SessionId } = options
  const { probe } = yield* Effect.promise(() => import("../targets/RemoteTarget.ts"))
  const variables = Config.all({
    apiKey: Config.option(Config.Redacted(apiKeyEnv)),
    header: Config.option(Config.String("WEBAGENT_API_KEY_HEADER"))
  })
  const { apiKey, header } = yield* Effect.mapError(variables, (error) => usage(error.message))
  return yield* probe({
    url: options.target,
    apiKeyEnv,
    apiKey: options.evaluation?.apiKey ?? Option.getOrUndefined(apiKey),
    apiKeyHeader: options.apiKeyHeader ?? Option.getOrUndefined(header),
    v2SessionId,
    allowPaid,
    controlled: options.control !== undefined,
    program
  })
})

/** A target as it is taken to be without a request to it. */
export const assumed = (options: Pick<RunOptions, "allowPaid" | "control" | "target" | "v2SessionId">) => {
  const { allowPaid, control, target, v2SessionId } = options
  const simulated = target === "simulated"
  const controlled = simulated || control !== undefined
  const address = simulated ? "" : addressOf(target)
  return {
    simulated,
    info: {
      name: simulated ? "simulated service" : address,
      address,
      capabilities: Capabilities.of({
        ours: simulated,
        extended: simulated,
        simulated,
        allowPaid,
        v2SessionId,
        controlled
      })
    }
  }
}

const controlKeyEnv = "WEBAGENT_CONTROL_KEY"

/** Opens the control API at an address, with the key in WEBAGENT_CONTROL_KEY, for as long as the scope lives. */
export const openControl = Effect.fnUntraced(function* (address: string) {
  const { open } = yield* Effect.promise(() => import("../targets/RemoteControl.ts"))
  const key = yield* Effect.mapError(Config.option(Config.Redacted(controlKeyEnv)), (error) => usage(error.message))
  return yield* open({ address, keyEnv: controlKeyEnv, key: Option.getOrUndefined(key) })
})

/** The same, with its control API where one is named. */
const controlled = Effect.fnUntraced(function* (options: RunOptions) {
  const connection = yield* remote(options)
  return options.control === undefined ? connection : { ...connection, ...(yield* openControl(options.control)) }
})

/** Finds the target, looks once whether it answers as the service, and connects; it closes with the scope. */
export const open = (
  options: RunOptions & { readonly keepOpen?: boolean | undefined }
): Effect.Effect<Target, UserError, Scope.Scope> =>
  Effect.flatMap(options.target === "simulated" ? embedded(options) : controlled(options), connect)
