import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import { commandLine, teardown } from "../../src/harness.ts"
import type { Ended } from "./program.ts"

/**
 * Runs a command in this process: what it says and how it ends, without the second of CPU that a process takes to start.
 * Signals, the environment of processes that it starts, and how a process ends are tested with `run` of `program.ts`.
 */
export const call = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<Ended> => {
  const said = { stdout: "", stderr: "" }
  const write = (stream: keyof typeof said) => (text: string | Uint8Array) => {
    said[stream] += typeof text === "string" ? text : new TextDecoder().decode(text)
  }
  const sink = (stream: keyof typeof said) => () =>
    Sink.forEach((text: string | Uint8Array) => Effect.sync(() => write(stream)(text)))
  const line = (stream: keyof typeof said) => (text: unknown) => write(stream)(`${String(text)}\n`)
  const console: Console.Console = { ...globalThis.console, log: line("stdout"), error: line("stderr") }
  const services = Layer.mergeAll(
    Stdio.layerTest({ args: Effect.succeed(args), stdout: sink("stdout"), stderr: sink("stderr") }),
    Layer.succeed(Console.Console, console),
    ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
  )
  const exit = await Effect.runPromiseExit(
    commandLine.pipe(Effect.provide(services), Effect.provide(NodeServices.layer))
  )
  const code = await new Promise<number>((resolve) => teardown(exit, resolve))
  return { code, ...said }
}
