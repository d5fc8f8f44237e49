import { loading } from "@webagent/cli/Loading"
import * as CliFlags from "@webagent/cli/Flags"
import * as Settings from "@webagent/cli/Settings"
import * as Command from "effect/cli/Command"
import { serveSettings } from "./settings.ts"

/** The flags of a service. */
export const serveFlags = {
  config: Settings.config,
  apiKeys: CliFlags.apiKeys("Accept an API key; repeatable (default: WEBAGENT_SERVER_API_KEY)"),
  adminKeys: CliFlags.apiKeys(
    "Accept a key that sees the records of every key in the admin API; repeatable (default: WEBAGENT_SERVER_ADMIN_KEY)",
    "admin-key"
  ),
  ...Settings.flags(serveSettings.node),
  file: Settings.flags(serveSettings.file),
  shared: Settings.flags(serveSettings.shared),
  simulated: Settings.flags(serveSettings.simulated),
  limits: Settings.flags(serveSettings.limits),
  chromium: Settings.flags(serveSettings.chromium),
  agent: Settings.flags(serveSettings.agent),
  fallback: Settings.flags(serveSettings.fallback)
}

/** The flags of a service, as the user set them. */
export type ServeFlags = Command.Command.Config.Infer<typeof serveFlags>

/** Serves a database until Ctrl-C. The service is loaded when the command runs. */
export const serve = Command.make("serve", serveFlags, (given) =>
  loading(async () => (await import("./serveDatabase.ts")).serveDatabase(given))
).pipe(Command.withDescription("Serve v2, v3 and v4 of the web-agent service over a database"))
