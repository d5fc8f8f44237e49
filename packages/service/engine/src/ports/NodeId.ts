import * as Context from "effect/Context"

/** The name of this start of this process, in leases and browsers. A store that several starts share needs one for each. */
export const NodeId: Context.Reference<string> = Context.Reference("@webagent/engine/NodeId", {
  defaultValue: () => "local"
})
