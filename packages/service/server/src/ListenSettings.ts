import * as CliFlags from "@webagent/cli/Flags"
import * as Settings from "@webagent/cli/Settings"
import * as Flag from "effect/cli/Flag"
import * as Result from "effect/Result"
import { publicUrlOf } from "./api/PublicUrl.ts"
import * as TrustedProxies from "./api/TrustedProxies.ts"
import { isHeaderName } from "./http/listener/ApiKeyHeader.ts"

/** Splits a list at its commas. */
export const list = (text: string): ReadonlyArray<string> => text.split(",").map((item) => item.trim())

/** The settings of every command that listens for requests. */
export const listenSettings = {
  port: Settings.withDefault(
    Settings.int("Listen on a port; 0 is any free port (default: 8080)", CliFlags.isPort),
    8080
  ),
  host: Settings.withDefault(
    Settings.text("Listen on an address (default: 127.0.0.1, this machine only)"),
    "127.0.0.1"
  ),
  allowHost: Settings.text(
    "Accept these names for browsers' links, as a proxy in front sends them (default: none)",
    Flag.map(list)
  ),
  publicUrl: Settings.text(
    "Start all links with a URL such as https://agent.example (default: as requested)",
    Flag.filterMap(
      publicUrlOf,
      () => "an http or https address without user, query and hash, such as https://agent.example"
    )
  ),
  trustProxy: Settings.text(
    "Use forwarded headers from these addresses only: 10.0.0.5,10.1.0.0/16 (default: none)",
    (flag) =>
      flag.pipe(
        Flag.map(list),
        Flag.filter(
          (texts) => Result.isSuccess(TrustedProxies.fromTexts(texts)),
          () => "addresses and networks such as 10.0.0.5,10.1.0.0/16"
        )
      )
  ),
  apiKeyHeader: Settings.text(
    "Accept the API key in this header as well (default: only X-Service-API-Key)",
    Flag.filter(isHeaderName, () => "the name of a header, such as X-API-Key")
  ),
  console: Settings.boolean("Serve the web console at /console; --no-console serves none (default: on)"),
  log: Settings.withDefault(
    Settings.oneOf(["text", "json"], "Write the log as text or as one JSON object per line (default: text)"),
    "text"
  )
}
