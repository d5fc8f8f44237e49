import { IdSource, MemoryWorkspaces } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limits, workspaceContract } from "../src/WorkspacesContract.ts"

const ids = Layer.sync(IdSource, () => {
  let count = 0
  return { next: (kind) => Effect.sync(() => `${kind}-${++count}`) }
})

workspaceContract(
  "MemoryWorkspaces",
  Layer.provide(MemoryWorkspaces.layer({ maxBytes: limits.workspace, maxTotalBytes: limits.owner }), ids)
)
