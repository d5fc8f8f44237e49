import { spawn } from "node:child_process"
import { root } from "./build/workspace.ts"

/** Output of a program that has exited. */
export interface Output {
  readonly code: number
  /** Standard output and standard error, in the order in which they came. */
  readonly text: string
}

/** Options for running a program. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Stops the program. Without a signal, the program has two minutes. */
  readonly signal?: AbortSignal
}

/**
 * Runs a program in the root of the repository. A missing program has the exit code 127, as in a shell. The program gets a
 * process group of its own, so Ctrl-C does not interrupt the removal of containers.
 */
export const run = (
  command: ReadonlyArray<string>,
  { env = {}, signal = AbortSignal.timeout(120_000) }: RunOptions = {}
): Promise<Output> =>
  new Promise((resolve) => {
    const [program = "", ...args] = command
    if (signal.aborted) return resolve({ code: 1, text: `${program} was not started` })
    const options = { cwd: root, env: { ...process.env, ...env }, detached: true }
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => (text += part))
    const kill = (name: NodeJS.Signals) => {
      try {
        process.kill(-Number(child.pid), name)
      } catch {
        // there is no process left
      }
    }
    let killing: NodeJS.Timeout | undefined
    const stop = () => {
      kill("SIGTERM")
      killing = setTimeout(() => kill("SIGKILL"), 20_000)
    }
    signal.addEventListener("abort", stop, { once: true })
    const end = (code: number, more = "") => {
      signal.removeEventListener("abort", stop)
      clearTimeout(killing)
      resolve({ code, text: text + more })
    }
    child.on("error", ({ message }) => end(127, message)).on("close", (code) => end(code ?? 1))
  })

/** Returns the end of an output, for a message about a failure. */
export const endOf = (text: string, lines = 12): string => text.trim().split("\n").slice(-lines).join("\n")

/** Runs a program and returns what it prints; throws the end of its output if it fails. */
export const need = async (command: ReadonlyArray<string>, options: RunOptions = {}): Promise<string> => {
  const { code, text } = await run(command, options)
  if (code !== 0) throw new Error(`${command.join(" ")} exited with ${code}:\n${endOf(text)}`)
  return text.trim()
}

/** A container engine that runs here. */
export interface Engine {
  readonly name: "docker" | "podman"
  readonly version: string
  /** The command of Compose; null if there is none. */
  readonly compose: ReadonlyArray<string> | null
}

const composeOf = async (name: string): Promise<ReadonlyArray<string> | null> => {
  for (const command of [[name, "compose"], [`${name}-compose`]])
    if ((await run([...command, "version"])).code === 0) return command
  return null
}

/** Builds with the features of BuildKit, which the Dockerfile needs. */
export const buildEnv = { DOCKER_BUILDKIT: "1", COMPOSE_DOCKER_CLI_BUILD: "1" }

const withBuildKit = async (): Promise<boolean> => {
  if ((await run(["docker", "buildx", "version"])).code === 0) return true
  // older ones have it built in
  const { text } = await run(["docker", "version", "--format", "{{.Client.Version}}"])
  return Number.parseInt(text, 10) < 23
}

/** Finds an engine: the one that `WEBAGENT_ENGINE` names, or Docker, or podman. Otherwise, returns what is missing. */
export const findEngine = async (
  wanted: string | undefined = process.env["WEBAGENT_ENGINE"]
): Promise<Engine | { readonly missing: string }> => {
  const reasons: Array<string> = []
  for (const name of ["docker", "podman"] as const) {
    if (wanted !== undefined && wanted !== name) continue
    const { code, text } = await run([name, "info"])
    if (code === 127) reasons.push(`${name} is not installed`)
    else if (code !== 0) reasons.push(`${name} does not run (${endOf(text, 1)})`)
    else if (name === "docker" && !(await withBuildKit()))
      reasons.push("docker has no BuildKit (install docker-buildx)")
    else {
      const [version = ""] = /\d+\.\d[\w.]*/u.exec((await run([name, "--version"])).text) ?? []
      return { name, version, compose: await composeOf(name) }
    }
  }
  if (reasons.length === 0) reasons.push(`WEBAGENT_ENGINE is "${wanted}", and it must be docker or podman`)
  return {
    missing: `${reasons.join(", and ")}. Install Docker or podman, or on Debian as root: sh tools/containers/debian.sh npm run test:containers`
  }
}

/** Returns the names of all images of an engine. */
export const imagesOf = async ({ name }: Engine): Promise<Set<string>> => {
  const printed = await need([name, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}"])
  return new Set(printed.split("\n").filter((image) => image !== "" && !image.includes("<none>")))
}
