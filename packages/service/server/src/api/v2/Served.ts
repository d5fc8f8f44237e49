import { V2Api } from "@webagent/contract/v2"
import { basePath } from "@webagent/contract/Wire"
import { NodeRouting, place } from "../Placement.ts"

/** API v2 under the path where this server serves it. */
export const Served = place(V2Api.prefix(basePath.v2).middleware(NodeRouting), {
  sessions: {
    delete: { node: "ofSessionFiles", param: "session_id" },
    purge: { node: "ofSessionFiles", param: "session_id" }
  },
  tasks: { create: { node: "withRoom", launches: "later", unlessOf: "sessionId" } },
  browsers: {
    create: { node: "withRoom", launches: "immediately" },
    update: { node: "ofBrowser", param: "browser_id" }
  }
})
