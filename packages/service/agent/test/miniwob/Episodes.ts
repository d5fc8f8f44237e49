import { overTransport } from "@webagent/cdp"
import type { Launched } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { createReadStream, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"

const version = "1.1.0"

const folder = fileURLToPath(new URL(`../../../../../node_modules/.cache/miniwob/${version}`, import.meta.url))

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png"
}

/** Response of the Python Package Index about a package. */
interface Index {
  readonly files: ReadonlyArray<{ readonly filename: string; readonly url: string }>
}

/** Returns whether the pages were fetched before. */
export const areFetched = (): boolean => existsSync(join(folder, "miniwob"))

/** Returns the folder of MiniWoB++'s pages, and fetches them from the Python Package Index if they are missing. */
const fetched = async (): Promise<string> => {
  if (!areFetched()) {
    mkdirSync(folder, { recursive: true })
    const accept = "application/vnd.pypi.simple.v1+json"
    const index = await fetch("https://pypi.org/simple/miniwob/", { headers: { accept } }).catch(() => {
      throw new Error("MiniWoB++ cannot be fetched from pypi.org. Run this where the network has it.")
    })
    const { files } = (await index.json()) as Index
    const wheel = files.find(({ filename }) => filename === `miniwob-${version}-py3-none-any.whl`)
    if (wheel === undefined) throw new Error(`The package miniwob has no wheel of version ${version}.`)
    const file = join(folder, "miniwob.whl")
    writeFileSync(file, new Uint8Array(await (await fetch(wheel.url)).arrayBuffer()))
    execFileSync("unzip", ["-q", "-o", file, "-d", folder])
  }
  return join(folder, "miniwob", "html")
}

/** The episodes of MiniWoB++, each a page with a task. */
export interface Episodes {
  readonly kinds: ReadonlyArray<string>
  readonly address: (kind: string) => string
  /** Opens the page of a kind. */
  readonly open: (kind: string) => Effect.Effect<void>
  /** Begins an episode of the page in front, the same one for the same seed; the answer is the task. */
  readonly begin: (seed: number) => Effect.Effect<string>
  /** Reward of the episode, from -1 to 1; null if it did not finish. */
  readonly reward: Effect.Effect<number | null>
}

const serve = (root: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          const file = join(root, decodeURIComponent((request.url ?? "/").split("?")[0] ?? "/"))
          if (!file.startsWith(root) || !existsSync(file)) return void response.writeHead(404).end()
          response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
          createReadStream(file).pipe(response)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** MiniWoB++ in the page of a browser, over a connection besides the agent's. */
export const make = Effect.fnUntraced(function* (
  connect: Launched["connect"]
): Effect.fn.Return<Episodes, never, Scope.Scope> {
  const root = yield* Effect.promise(fetched)
  const origin = yield* serve(root)
  const client = yield* overTransport(yield* connect)
  const { targetInfos } = yield* Effect.orDie(client.send("Target.getTargets"))
  const targetId = targetInfos.find(({ type }) => type === "page")?.targetId ?? ""
  const { sessionId } = yield* Effect.orDie(client.send("Target.attachToTarget", { targetId, flatten: true }))
  const { send } = client.session(sessionId)
  const evaluate = (expression: string) =>
    Effect.map(
      Effect.orDie(send("Runtime.evaluate", { expression, returnByValue: true })),
      ({ result }) => result.value
    )
  const address = (kind: string) => `${origin}/miniwob/${kind}.html`
  return {
    kinds: readdirSync(join(root, "miniwob"))
      .filter((name) => name.endsWith(".html"))
      .map((name) => name.slice(0, -".html".length))
      // its page never ends an episode, whatever is done
      .filter((name) => name !== "hover-shape"),
    address,
    open: (kind) => Effect.asVoid(Effect.orDie(send("Page.navigate", { url: address(kind) }))),
    reward: Effect.map(evaluate("WOB_DONE_GLOBAL?WOB_RAW_REWARD_GLOBAL:null"), (reward) =>
      typeof reward === "number" ? reward : null
    ),
    begin: (seed) =>
      Effect.gen(function* () {
        // an episode that begins before the page has loaded is reset by it
        yield* Effect.repeat(Effect.andThen(Effect.sleep("5 millis"), evaluate("document.readyState")), {
          while: (state) => state !== "complete"
        })
        const said = yield* evaluate(
          `core.EPISODE_MAX_TIME=1e8;Math.seedrandom(${seed});core.startEpisodeReal();(()=>{const u=core.getUtterance();return typeof u==="string"?u:u.utterance})()`
        )
        return String(said)
      })
  }
})
