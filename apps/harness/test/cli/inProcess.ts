import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { teardown } from "@webagent/cli/CommandLine"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { commandLine } from "../../src/harness.ts"
import type { Ended } from "./program.ts"

/** A command line that runs in this process. */
export interface Begun {
  readonly ended: Promise<Ended>
  /** Resolves with all of stdout when it has this text; rejects when the command ends before. */
  readonly says: (text: string) => Promise<string>
  /** What Ctrl-C does. */
  readonly stop: () => void
}

const running = new Set<Promise<Ended>>()
/** Those of them that a test has stopped, and perhaps not waited for. */
const stopping = new Set<Promise<Ended>>()

/** Begins a command in this process, with the environment and the keyboard that it is given. */
export const begin = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  stdio: Partial<Stdio.Stdio> = {},
  terminal?: Terminal.Terminal
): Begun => {
  const said = { stdout: "", stderr: "" }
  const listeners = new Set<() => void>()
  const write = (stream: keyof typeof said) => (text: string | Uint8Array) => {
    said[stream] += typeof text === "string" ? text : new TextDecoder().decode(text)
    for (const listener of listeners) listener()
  }
  const sink = (stream: keyof typeof said) => () =>
    Sink.forEach((text: string | Uint8Array) => Effect.sync(() => write(stream)(text)))
  const line = (stream: keyof typeof said) => (text: unknown) => write(stream)(`${String(text)}\n`)
  const console: Console.Console = { ...globalThis.console, log: line("stdout"), error: line("stderr") }
  const services = Layer.mergeAll(
    Stdio.layerTest({ args: Effect.succeed(args), stdout: sink("stdout"), stderr: sink("stderr"), ...stdio }),
    Layer.succeed(Console.Console, console),
    ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)),
    terminal === undefined ? Layer.empty : Layer.succeed(Terminal.Terminal, terminal)
  )
  // a service of an earlier test has set it for this process
  if (running.size + stopping.size === 0) Object.assign(servesUntilStopped, { now: false, exitCode: 0 })
  const fiber = Effect.runFork(commandLine.pipe(Effect.provide(services), Effect.provide(NodeServices.layer)))
  const ended: Promise<Ended> = Effect.runPromise(Fiber.await(fiber))
    .then((exit) => new Promise<number>((resolve) => teardown(exit, resolve)))
    .then((code) => {
      for (const commands of [running, stopping]) commands.delete(ended)
      return { code, ...said }
    })
  running.add(ended)
  return {
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (said.stdout.includes(text)) resolve(said.stdout)
        }
        listeners.add(look)
        look()
        void ended.then(({ code, stderr }) =>
          reject(new Error(`ended with ${code} before it said "${text}": ${stderr}`))
        )
      }),
    stop: () => {
      if (running.delete(ended)) stopping.add(ended)
      Effect.runFork(Fiber.interrupt(fiber))
    }
  }
}

/**
 * Runs a command in this process: what it says and how it ends, without the second of CPU that a process takes to start.
 * Signals, the environment of processes that it starts, and how a process ends are tested with `run` of `program.ts`.
 */
export const call = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  begin(args, env).ended

/** The same in a folder. A process has one working directory: no other command may run in this one meanwhile. */
export const callIn = async (folder: string, args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => {
  await Promise.all(stopping)
  if (running.size > 0) throw new Error(`${running.size} commands run in this process, and would move to ${folder}`)
  const before = process.cwd()
  process.chdir(folder)
  try {
    return await call(args, env)
  } finally {
    process.chdir(before)
  }
}
