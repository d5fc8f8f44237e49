import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { description } from "@webagent/cli/Description"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"
import { flags, namedIn, optionsOf } from "../RunFlags.ts"
import { configured } from "../Configured.ts"

/** `record`: what a service answers, as a cassette. What it runs with is loaded when it runs. */
export const record = configured(
  "record",
  {
    ...flags,
    out: Flags.text("out", "Write the cassette to this file (default: .webagent/cassettes/<local time>.ndjson)"),
    proxy: Flags.switched("proxy", "Record an app that sends its requests to this address, until Ctrl-C"),
    port: Flags.port("With --proxy: listen on this port of 127.0.0.1")
  },
  namedIn,
  ({ out, port, proxy, ...parsed }) =>
    proxy
      ? Effect.flatMap(
          Effect.promise(() => import("./recordProxy.ts")),
          ({ recordProxy }) => recordProxy({ ...optionsOf(parsed), out, port })
        )
      : Effect.flatMap(
          Effect.promise(() => import("./recordSuites.ts")),
          ({ recordSuites }) => recordSuites(optionsOf(parsed), out)
        )
).pipe(
  Command.withDescription(
    description(
      "Record the responses of a service, to serve them with replay or compare them with drift",
      {
        0: "recorded, all scenarios passed",
        1: "recorded, not all scenarios passed",
        2: "wrong usage",
        3: "no service at the target, or it refuses the key"
      },
      ["The API key and the links of browsers and recordings are left out; tasks and results are kept"]
    )
  ),
  Command.withShortDescription("Record what a service answers"),
  Command.withExamples([
    { command: `${program} record --target https://your.service`, description: "The suites that cost nothing" },
    {
      command: `${program} record --target https://your.service --proxy --port 4401`,
      description: "An app whose WEBAGENT_BASE_URL is http://127.0.0.1:4401"
    }
  ])
)
