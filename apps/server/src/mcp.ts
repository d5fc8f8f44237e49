import { version } from "@webagent/server/Version"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { layerLog } from "@webagent/cli/Log"
import { program } from "./program.ts"
import { asServerAddress } from "./serverAddress.ts"
import { usage } from "@webagent/cli/UserError"

const keyVariable = "WEBAGENT_API_KEY"

const url = Flag.String("url").pipe(
  Flag.withDescription("Use the server at an address (default: WEBAGENT_BASE_URL, else http://127.0.0.1:8080)"),
  Flag.withFallbackConfig(Config.NonEmptyString("WEBAGENT_BASE_URL")),
  Flag.withDefault("http://127.0.0.1:8080"),
  asServerAddress
)

/** Serves the operations of a server as MCP tools, for clients that start a program. */
export const mcp = Command.make(
  "mcp",
  { url },
  Effect.fnUntraced(function* (given) {
    const apiKey = yield* Config.option(Config.Redacted(keyVariable))
    if (Option.isNone(apiKey)) {
      return yield* usage(`Set ${keyVariable} to an API key of ${given.url}.`)
    }
    // no other command needs it
    const { layer, takesKey } = yield* Effect.promise(() => import("@webagent/server/McpStdio"))
    const target = { address: given.url, apiKey: apiKey.value }
    const isTaken = yield* takesKey(target).pipe(
      // it may be there later
      Effect.catch(() =>
        Effect.as(Effect.logWarning(`${given.url} doesn't respond. Tools fail until a server responds there.`), true)
      ),
      // standard output is the client's
      Effect.provide([FetchHttpClient.layer, layerLog("text")])
    )
    if (!isTaken) {
      return yield* usage(
        `${given.url} refuses the API key in ${keyVariable}. Set one with the scope read: ${program} keys create.`
      )
    }
    servesUntilStopped.now = true
    return yield* layer({ ...target, version }).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.launch,
      // standard output is the client's
      Effect.provide(layerLog("text"))
    )
  })
).pipe(Command.withDescription("Serve a server's operations as MCP tools on standard input and output"))
