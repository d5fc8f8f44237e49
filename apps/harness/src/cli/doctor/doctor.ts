import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Flags from "../Flags.ts"
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
  (options) => loading(async () => (await import("./examine.ts")).examine(options))
).pipe(
  help("Check this machine", {
    does: "Check Node, Go, k6, Chromium, bubblewrap (for webagent-server), the API key and the target",
    exits: { 0: "nothing failed; missing parts are optional", 1: "a check failed", 2: "wrong usage" },
    examples: { doctor: "This machine", "doctor --target https://your.service": "A service and its key as well" }
  })
)
