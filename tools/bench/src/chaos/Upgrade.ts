/** Rolls nodes from the version before to this one, back, and forward again, while clients use all of them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Cluster, Member } from "./Cluster.ts"

/** Two versions of the server, as commands. */
export interface Versions {
  readonly before: ReadonlyArray<string>
  readonly now: ReadonlyArray<string>
}

interface UpgradeOptions extends Versions {
  readonly database: string
  readonly duration_ms: number
  readonly log: (line: string) => void
  /** Notes that a node was killed. */
  readonly lost: (member: Member) => void
  /** Notes that the database is migrated. */
  readonly migrated: () => void
}

/** Migrates a database while servers use it, as an operator does before the first new server. */
const migrate = async ([program = "", ...args]: ReadonlyArray<string>, database: string) => {
  const child = spawn(program, [...args, "migrate", "--data", database], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0) throw new Error(`migrate ended with ${code}: ${output.trim()}`)
  return output.trim()
}

/** Number of times that all nodes are replaced. */
export const passes = 3

/** Number of times that clients use the nodes for a while between two changes. */
const pauses = 15

/**
 * Replaces nodes one after the other; of each three, one is killed and the others drain. A node of the version before is
 * killed and started again after the migration, too.
 */
export const upgrade = async (
  nodes: Cluster,
  { before, database, duration_ms, log, lost, migrated, now }: UpgradeOptions
): Promise<void> => {
  const pause = () => sleep(duration_ms / pauses)
  const replace = async (member: Member, command: ReadonlyArray<string>, isKilled: boolean) => {
    const version = command === now ? "this version" : "the version before"
    log(`${isKilled ? "kill" : "stop"} ${member.name}, and start it with ${version}`)
    await (isKilled ? nodes.kill(member) : nodes.stop(member))
    if (isKilled) lost(member)
    await nodes.start(member, command)
    await pause()
  }
  const pass = async (command: ReadonlyArray<string>) => {
    for (const [index, member] of nodes.members.entries()) await replace(member, command, index === 1)
    await pause()
  }

  await pause()
  log(await migrate(now, database))
  migrated()
  const [first] = nodes.members
  if (first !== undefined) await replace(first, before, true)
  await pass(now)
  await pass(before)
  await pass(now)
}
