import * as CliFlags from "@webagent/cli/Flags"
import * as Settings from "@webagent/cli/Settings"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { serveSettings } from "./settings.ts"

const flags = {
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
  chromium: Settings.flags(serveSettings.chromium),
  agent: Settings.flags(serveSettings.agent),
  fallback: Settings.flags(serveSettings.fallback)
}

/** The flags of a service, as the user set them. */
export type ServeFlags = Command.Command.Config.Infer<typeof flags>

/** Serves a database until Ctrl-C. The service is loaded when the command runs. */
export const serve = Command.make("serve", flags, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("./serveDatabase.ts")),
    ({ serveDatabase }) => serveDatabase(given)
  )
).pipe(Command.withDescription("Serve v2, v3 and v4 of the web-agent service over a database"))
