import { V4Api } from "@webagent/contract/v4"
import { basePath } from "@webagent/contract/Wire"
import { NodeRouting, place } from "../Placement.ts"

/** API v4 under the path where this server serves it. */
export const Served = place(V4Api.prefix(basePath.v4).middleware(NodeRouting), {
  runs: { create: { node: "withRoom", launches: "later", unlessOf: "sessionId" } },
  sessions: {
    queue: { node: "ofSession", param: "session_id" },
    purge: { node: "ofSessionFiles", param: "session_id" }
  },
  browsers: {
    create: { node: "withRoom", launches: "immediately" },
    update: { node: "ofBrowser", param: "browser_id" }
  }
})
