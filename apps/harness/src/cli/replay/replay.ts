import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"

/** `replay`: a recording in the foreground. The code that serves it is loaded when it runs. */
export const replay = Command.make(
  "replay",
  {
    path: Argument.String("cassette").pipe(Argument.withDescription("The recording to serve, an NDJSON file")),
    port: Flags.port("Listen on this port of 127.0.0.1"),
    match: Flag.Literals("match", ["body", "path"]).pipe(
      Flag.withDescription("Replay a create by its body, or by its path alone (default: body)"),
      Flag.withDefault("body" as const)
    ),
    timeScale: Flag.Finite("time-scale").pipe(
      Flag.filter(
        (factor) => factor > 0 && factor <= 1_000_000,
        () => "a number above 0, up to 1000000"
      ),
      Flag.withDescription("Replay faster: with 60 a minute takes a second (default: 1)"),
      Flag.withDefault(1)
    ),
    quiet: Flags.switched("quiet", "Print no requests")
  },
  (options) => loading(async () => Effect.scoped((await import("./serveCassette.ts")).serveCassette(options)))
).pipe(
  help("Serve a recording in the foreground", {
    does: "Serve a recording in the foreground, on this machine only, and print each request",
    exits: { 0: "stopped with Ctrl-C", 2: "wrong usage, a file that is no recording, or the port is in use" }
  })
)
