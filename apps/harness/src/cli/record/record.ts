import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Flags from "../Flags.ts"
import { flags, optionsOf } from "../RunFlags.ts"
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
  ({ out, port, proxy, ...parsed }) =>
    proxy
      ? loading(async () => (await import("./recordProxy.ts")).recordProxy({ ...optionsOf(parsed), out, port }))
      : loading(async () => (await import("./recordSuites.ts")).recordSuites(optionsOf(parsed), out)),
  ({ suites }) => suites
).pipe(
  help("Record a service's responses", {
    does: "Record a service's responses, to serve them with replay or compare them with drift",
    exits: {
      0: "recorded, all scenarios passed",
      1: "recorded, not all scenarios passed",
      2: "wrong usage",
      3: "no service at the target, or it refuses the key"
    },
    more: ["The API key and the links to browsers and recordings are left out; tasks and results are kept"],
    examples: {
      "record --target https://your.service": "The suites that cost nothing",
      "record --target https://your.service --proxy --port 4401":
        "An app whose WEBAGENT_BASE_URL is http://127.0.0.1:4401"
    }
  })
)
