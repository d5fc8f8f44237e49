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
  readonly signal?: AbortSignal
  readonly onLine?: (line: string) => void
}

/** Runs a program in the root of the repository. A missing program has the exit code 127, as in a shell. */
export const run = (command: ReadonlyArray<string>, { env = {}, onLine, signal }: RunOptions = {}): Promise<Output> =>
  new Promise((resolve) => {
    const [program = "", ...args] = command
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(signal === undefined ? {} : { signal })
    })
    let text = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part
        const line = part.trimEnd().split("\n").at(-1)
        if (line !== undefined && line !== "") onLine?.(line)
      })
    }
    child.on("error", ({ message }) => resolve({ code: signal?.aborted === true ? 1 : 127, text: `${text}${message}` }))
    child.on("close", (code) => resolve({ code: code ?? 1, text }))
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
  return {
    missing: `${reasons.join(", and ")}. Install Docker or podman, or on Debian as root: sh tools/containers/debian.sh npm run test:containers`
  }
}

/** Returns the names of all images of an engine. */
export const imagesOf = async ({ name }: Engine): Promise<Set<string>> => {
  const printed = await need([name, "image", "ls", "--format", "{{.Repository}}:{{.Tag}}"])
  return new Set(printed.split("\n").filter((image) => image !== "" && !image.includes("<none>")))
}
