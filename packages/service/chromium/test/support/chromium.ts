import type { CdpClient } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import { mkdtempSync, chmodSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Binary, BrowserProcess, Sandbox } from "../../src/index.ts"

/** A folder for browsers; each test has its own, and may look whether anything is left in it. */
export const runtime = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "webagent-test-browsers-"))
    // who a browser runs as must reach its own folder in it
    chmodSync(folder, 0o711)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Whether Chromium's own sandbox works here: it needs user namespaces, which some containers forbid. */
export const chromiumSandbox: Effect.Effect<boolean> = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const folder = yield* runtime
      const binary = yield* Binary.find()
      yield* BrowserProcess.start({ binary, runtime: folder, name: "probe" })
      return true
    }).pipe(
      Effect.scoped,
      Effect.orElseSucceed(() => false),
      Effect.provide(Sandbox.layerNone)
    )
  )
)

/** Starts a browser as these tests do: with Chromium's own sandbox where it can be. */
export const start = Effect.fnUntraced(function* (name: string, folder: string) {
  const binary = yield* Binary.find()
  return yield* BrowserProcess.start({ binary, runtime: folder, name, chromiumSandbox: yield* chromiumSandbox })
})

/** Attaches a session to the page of a browser. */
export const attach = Effect.fnUntraced(function* (client: CdpClient) {
  const { targetInfos } = yield* client.send("Target.getTargets")
  const page = targetInfos.find(({ type }) => type === "page")
  const { sessionId } = yield* client.send("Target.attachToTarget", { targetId: page?.targetId ?? "", flatten: true })
  return client.session(sessionId)
})

/** The processes whose working folder is in `folder`, or that were started there. */
export const processesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(folder)
    } catch {
      return false
    }
  })
