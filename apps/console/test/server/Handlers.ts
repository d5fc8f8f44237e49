import * as Layer from "effect/Layer"
import type { Behavior } from "./Behavior.ts"
import { audit } from "./handlers/Audit.ts"
import { browsers } from "./handlers/Browsers.ts"
import { events } from "./handlers/Events.ts"
import { files } from "./handlers/Files.ts"
import { keys } from "./handlers/Keys.ts"
import { marks } from "./handlers/Marks.ts"
import { nodes } from "./handlers/Nodes.ts"
import { profiles } from "./handlers/Profiles.ts"
import { recordings } from "./handlers/Recordings.ts"
import { runs } from "./handlers/Runs.ts"
import { schedules } from "./handlers/Schedules.ts"
import { server } from "./handlers/Server.ts"
import { sessions } from "./handlers/Sessions.ts"
import { shares } from "./handlers/Shares.ts"
import { signIn } from "./handlers/SignIn.ts"
import { spend } from "./handlers/Spend.ts"
import { webhooks } from "./handlers/Webhooks.ts"
import type { World } from "./World.ts"

/** The handlers of a server with made-up records. */
export const layer = (world: World, behavior: Behavior) =>
  Layer.mergeAll(
    audit(world),
    browsers(world),
    events(world),
    files(world),
    keys(world),
    marks(world),
    nodes(world),
    profiles,
    recordings,
    runs(world),
    schedules(world),
    server(behavior, world),
    sessions(world),
    shares(world),
    signIn(behavior),
    spend(world),
    webhooks(world)
  )
