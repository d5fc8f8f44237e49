import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Flags from "../Flags.ts"
import { flags, optionsOf } from "../RunFlags.ts"
import { configured } from "../Configured.ts"

const side = (name: string) =>
  Argument.String(name).pipe(
    Argument.withDescription("The URL of a service, a target of the configuration, a cassette, or simulated")
  )

const { target: _, ...runFlags } = flags

/** `drift`: how the answers of two services differ. What it runs with is loaded when it runs. */
export const drift = configured(
  "drift",
  {
    a: side("a"),
    b: side("b"),
    ...runFlags,
    apiKeyEnvB: Flags.text("api-key-env-b", "Read the API key of B from this variable (default: the same as for A)"),
    json: Flags.switched("json", "Print the differences as JSON")
  },
  ({ a, apiKeyEnvB, b, json, ...parsed }) =>
    loading(async () =>
      (await import("./driftBetween.ts")).driftBetween({
        a,
        b,
        apiKeyEnvB,
        json,
        run: optionsOf({ ...parsed, target: a })
      })
    ),
  ({ suites }) => suites
).pipe(
  help("Compare the responses of two services", {
    does: "Compare the responses of two services: fields, types, statuses. Runs the suites against each URL",
    exits: {
      0: "no difference",
      1: "differences",
      2: "wrong usage",
      3: "no service at a URL, or it refuses the key",
      5: "cannot tell"
    },
    more: ["Ignores ids, times, order, tasks and results, and temporary errors (429, 5xx)"],
    examples: {
      "drift yesterday.ndjson https://your.service": "Has the service changed?",
      "drift https://your.service simulated": "Does the simulator respond in the same way?"
    }
  })
)
