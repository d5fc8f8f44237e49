import { backup, migrate, prune } from "./database.ts"
import { drain, nodes, runs } from "./inspect.ts"
import { keys } from "./keys.ts"
import { mcp } from "./mcp.ts"
import { browsers } from "./operate.ts"
import { schedules } from "./schedules.ts"
import { webhooks } from "./webhooks.ts"

/** The commands that operate a server. */
export const operatorCommands = [
  keys,
  nodes,
  drain,
  runs,
  browsers,
  webhooks,
  schedules,
  migrate,
  backup,
  prune,
  mcp
] as const
