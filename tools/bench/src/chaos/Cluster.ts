/** Three servers on one database, as processes that can be killed, frozen and stopped. */
import { type ChildProcess, spawn } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "../measure/ServerProcess.ts"

/** The key that every node takes, and the one of its operator. */
export const apiKey = "wak_chaos"
export const adminKey = "wak_operator"

/** One node, over all its starts. */
export interface Member {
  readonly name: string
  readonly url: string
  state: "up" | "frozen" | "down"
  /** The command that starts it. */
  command: ReadonlyArray<string>
  process: ChildProcess | undefined
}

/** The nodes of one database. */
export interface Cluster {
  readonly members: ReadonlyArray<Member>
  /** Starts a node, with another command than before if one is given; resolves when it is ready. */
  readonly start: (member: Member, command?: ReadonlyArray<string>) => Promise<void>
  readonly kill: (member: Member) => Promise<void>
  /** Stops it in order: what runs may end first. */
  readonly stop: (member: Member) => Promise<void>
  readonly freeze: (member: Member) => void
  readonly thaw: (member: Member) => Promise<void>
  /** The last output of a node that ended by itself. */
  readonly ended: ReadonlyArray<string>
  /** Errors of the nodes' logs that ended a request with a 500, or a run, each with its cause. */
  readonly failures: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** Command that starts a server. */
export interface Program {
  readonly command: ReadonlyArray<string>
  readonly database: string
  /** Further flags and variables. */
  readonly flags?: ReadonlyArray<string>
  /** Those of one node, by its name. */
  readonly flagsOf?: (node: string) => ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
}

/** Number of starts of a node after which it counts as one that can't start. */
const mostStarts = 60

/** The part of a log about a request or an agent that a defect ended. */
const defect = /(?:A request failed|The agent crashed)[^]{0,1500}/gu

const isReady = async (url: string) => {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status === 200
}

/** Nodes with fixed ports, not started yet. */
export const cluster = async (
  count: number,
  { command, database, environment = {}, flags = [], flagsOf = () => [] }: Program
): Promise<Cluster> => {
  const ports: Array<number> = []
  while (ports.length < count) ports.push(await freePort())
  const members = ports.map((port, at): Member => ({
    name: `n${at + 1}`,
    url: `http://127.0.0.1:${port}`,
    state: "down",
    command,
    process: undefined
  }))
  const ended: Array<string> = []
  const outputs: Array<{ text: string }> = []
  const wanted = new WeakSet<ChildProcess>()
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WEBAGENT_")))

  const launch = (member: Member) => {
    const [program = "", ...args] = member.command
    const options = [
      "serve",
      "--data",
      database,
      "--node",
      member.name,
      "--port",
      new URL(member.url).port,
      "--api-key",
      apiKey,
      ...flags,
      ...flagsOf(member.name)
    ]
    const child = spawn(program, [...args, ...options], {
      env: { ...inherited, ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const output = { text: "" }
    outputs.push(output)
    child.stdout?.resume()
    child.stderr?.on("data", (chunk) => (output.text = `${output.text}${String(chunk)}`.slice(-200_000)))
    child.once("exit", (code) => {
      member.state = "down"
      if (!wanted.has(child)) ended.push(`${member.name} ended with ${code}: ${output.text.slice(-2000).trim()}`)
    })
    member.process = child
    return child
  }

  const start: Cluster["start"] = async (member, command = member.command) => {
    member.command = command
    let child = launch(member)
    let starts = 1
    while (!(await isReady(member.url))) {
      // its database may be away just now: an operator starts servers again
      if (child.exitCode !== null) {
        if (++starts > mostStarts) throw new Error(ended.at(-1))
        await sleep(500)
        child = launch(member)
      }
      await sleep(50)
    }
    member.state = "up"
  }

  const end = async (member: Member, signal: "SIGKILL" | "SIGTERM") => {
    const child = member.process
    member.state = "down"
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    wanted.add(child)
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill(signal)
    if (signal === "SIGKILL") child.kill("SIGCONT")
    await gone
  }

  const kill = (member: Member) => end(member, "SIGKILL")
  const orphaned = () => members.forEach((member) => member.process?.kill("SIGKILL"))
  process.on("exit", orphaned)

  return {
    members,
    start,
    kill,
    stop: (member) => end(member, "SIGTERM"),
    freeze: (member) => {
      member.state = "frozen"
      member.process?.kill("SIGSTOP")
    },
    thaw: async (member) => {
      member.process?.kill("SIGCONT")
      while (member.process?.exitCode === null && !(await isReady(member.url))) await sleep(50)
      if (member.process?.exitCode === null) member.state = "up"
      else await start(member)
    },
    ended,
    failures: () => outputs.flatMap(({ text }) => text.match(defect) ?? []),
    close: async () => {
      await Promise.all(members.map(kill))
      process.off("exit", orphaned)
    }
  }
}
