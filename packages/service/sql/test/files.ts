import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder that is gone after the test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "webagent-sql-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Where a database may be made; it is gone after the test. */
export const file = Effect.map(folder, (path) => join(path, "server.db"))
