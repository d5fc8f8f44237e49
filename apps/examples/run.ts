/**
 * Runs one example: `npm run example -- 10_create-a-run`.
 *
 * An example exports `program`, and `layer` unless it needs only a v4 client. A program in promises takes a client.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { V4 } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { readdirSync } from "node:fs"

interface Example {
  readonly program:
    | Effect.Effect<unknown, unknown, unknown>
    | ((agent: WebAgent, signal: AbortSignal) => Promise<unknown>)
  readonly layer?: Layer.Layer<unknown, unknown>
}

const examples = readdirSync(new URL("src/", import.meta.url)).flatMap(
  (file) => /^(\d+_[\w-]+)\.ts$/u.exec(file)?.[1] ?? []
)
const [name = ""] = process.argv.slice(2)

if (!examples.includes(name)) {
  console.error(`No example is named "${name}". Choose one of: ${examples.join(", ")}`)
  process.exit(2)
}

const { layer = V4.layer(), program } = (await import(`./src/${name}.ts`)) as Example

if (typeof program === "function") {
  const stop = new AbortController()
  process.once("SIGINT", () => stop.abort())
  await using agent = new WebAgent()
  console.log(await program(agent, stop.signal))
} else {
  program.pipe(
    Effect.tap(Console.log),
    Effect.provide(layer as Layer.Layer<unknown, { readonly message: string }>),
    // one line, no stack
    Effect.tapError((error) => Console.error(error instanceof Error ? error.message : error)),
    NodeRuntime.runMain({ disableErrorReporting: true })
  )
}
