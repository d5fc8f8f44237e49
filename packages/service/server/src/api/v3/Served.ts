import { V3Api } from "@webagent/contract/v3"
import { basePath } from "@webagent/contract/Wire"
import { NodeRouting, place } from "../Placement.ts"

/** API v3 under the path where this server serves it. */
export const Served = place(V3Api.prefix(basePath.v3).middleware(NodeRouting), {
  sessions: {
    create: { node: "withRoom", launches: "later", unlessOf: "sessionId" },
    delete: { node: "ofSessionFiles", param: "session_id" }
  },
  browsers: {
    create: { node: "withRoom", launches: "immediately" },
    update: { node: "ofBrowser", param: "browser_id" }
  }
})
