import * as Context from "effect/Context"

/**
 * The name of this start of this process, in leases and browsers. A store that outlives the process needs another one
 * for each start: what has this name is held here, now.
 */
export const NodeId: Context.Reference<string> = Context.Reference("@webagent/engine/NodeId", {
  defaultValue: () => "local"
})
