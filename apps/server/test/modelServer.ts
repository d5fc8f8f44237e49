import { assert, it } from "@effect/vitest"
import { type ModelMessage, type ModelReply, ScriptedModel } from "@webagent/scripted-model"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Answer, folder, ready, send, start, until } from "./program.ts"

/** The key of the server's clients. */
export const key = "wak_agent"

/** A site with pages of our own, on a port of its own. */
export const site = Effect.fnUntraced(function* (pages: Readonly<Record<string, string>>) {
  const server = Context.get(yield* Layer.build(Layer.fresh(ScriptedServer.layer)), ScriptedServer)
  server.script = ({ url }) => {
    const text = pages[(url.split("?")[0] ?? "").slice(1)]
    return text === undefined
      ? { status: 404 }
      : { headers: { "content-type": "text/html" }, text: `<!doctype html><meta charset=utf-8><body>${text}` }
  }
  return server
})

export const hostOf = ({ address }: ScriptedServer["Service"]) => new URL(address).host

/** A server with real browsers that reach these sites; everything that it leaves is below its folder. */
export const serve = Effect.fnUntraced(function* (
  sites: ReadonlyArray<ScriptedServer["Service"]>,
  more: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {},
  path?: string
) {
  path ??= yield* folder
  // browsers of a server that is root run as another user
  chmodSync(path, 0o711)
  // what a container forbids is not what is tested here
  const args = ["serve", "--browsers", "chromium", "--min-isolation", "none", "--port", "0", "--api-key", key]
  const reached = sites.length === 0 ? [] : ["--allow-private", sites.map(hostOf).join(",")]
  const program = yield* start([...args, ...reached, ...more, "--data", join(path, "server.db")], {
    TMPDIR: path,
    ...environment
  })
  const { v2, v3, v4 } = yield* ready(program)
  return { program, path, v2, v3, v4 }
})

/** The flags of the scripted model. */
export const modelFlags = ({ baseUrl }: ScriptedModel["Service"]) => {
  const prices = ["--model-price", "input=3,output=15"]
  return ["--model", "openai-compatible:scripted-1", "--model-url", baseUrl["openai-compatible"], ...prices]
}

export const call = (name: string, input: unknown = {}): ModelMessage => ({ calls: [{ name, input }] })

/** Ten input tokens and one output token cost 45 millionths. */
export const usage = { input: 10, output: 1 }

export type Step = ModelMessage | ((now: string) => ModelReply | Promise<ModelReply>)

/** A model that answers this, call by call; the last again and again. */
export const script = (model: ScriptedModel["Service"], ...steps: ReadonlyArray<Step>) => {
  model.requests.length = 0
  model.script = ({ text }, count) => {
    const step = steps[Math.min(count, steps.length) - 1] ?? { status: 500 }
    return typeof step === "function" ? step(text) : { usage, ...step }
  }
}

/** The number of the element whose name begins so. */
export const numberOf = (now: string, name: string): number => {
  const [, number] = new RegExp(String.raw`\[(\d+) [\w ]+? "${name}`, "u").exec(now) ?? []
  if (number === undefined) throw new Error(`There is no ${JSON.stringify(name)} in:\n${now}`)
  return Number(number)
}

export const isOver = ({ body }: Answer) => ["completed", "failed", "cancelled"].includes(String(body["status"]))

export const ended = (v4: string | undefined, id: unknown) => until(send(v4, key, "GET", `/runs/${String(id)}`), isOver)

export const create = (v4: string | undefined, body: Readonly<Record<string, unknown>>) =>
  Effect.map(send(v4, key, "POST", "/runs", body), (answer) => {
    assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
    return { id: String(answer.body["id"]), sessionId: String(answer.body["sessionId"]) }
  })

export const say = (v4: string | undefined, sessionId: string, text: string, interrupt = false) =>
  Effect.map(send(v4, key, "POST", `/sessions/${sessionId}/queue`, { text, interrupt }), ({ body }) =>
    String(body["runId"])
  )

export const test = <A, E>(title: string, body: Effect.Effect<A, E, ScriptedModel | Scope.Scope>) =>
  it.live(title, () => body.pipe(Effect.scoped, Effect.provide(Layer.fresh(ScriptedModel.layer))))

/** Reads something, or returns a default if it's gone. A browser that has ended may still be deleting its files. */
const unlessGone = <A>(read: () => A, otherwise: A): A => {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise
    throw error
  }
}

/** Every file below a folder. */
export const filesBelow = (path: string): ReadonlyArray<string> =>
  unlessGone(() => readdirSync(path), []).flatMap((name) => {
    const file = join(path, name)
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true ? filesBelow(file) : [file]
  })

/** Reads a file as one character per byte. The text is empty if the file is gone. */
export const contentOf = (file: string): string => unlessGone(() => readFileSync(file, "latin1"), "")
