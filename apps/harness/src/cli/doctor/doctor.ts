import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { description } from "@webagent/cli/Description"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"
import { configured } from "../Configured.ts"

/** `doctor`: whether this machine has what the harness needs. What it runs with is loaded when it runs. */
export const doctor = configured(
  "doctor",
  {
    target: Flags.text(
      "target",
      "Check the service at this URL, or a target of the configuration (default: WEBAGENT_BASE_URL, else simulated)"
    ),
    apiKeyEnv: Flags.apiKeyEnv,
    apiKeyHeader: Flags.apiKeyHeader,
    json: Flags.json,
    config: Flags.config
  },
  ({ config }) => ({ config }),
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./examine.ts")),
      ({ examine }) => examine(options)
    )
).pipe(
  Command.withDescription(
    description("Check Node, Go, k6, Chromium, bubblewrap (for webagent-server), the API key and the target", {
      0: "nothing failed; what is missing is optional",
      1: "a check failed",
      2: "wrong usage"
    })
  ),
  Command.withShortDescription("Check what this machine has and lacks"),
  Command.withExamples([
    { command: `${program} doctor`, description: "This machine" },
    { command: `${program} doctor --target https://your.service`, description: "A service and its key, too" }
  ])
)
