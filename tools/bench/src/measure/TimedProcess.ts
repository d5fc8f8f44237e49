import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Command } from "./Pinning.ts"

/** The result of a program and its usage. */
export interface Timed {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** CPU time, user and system, all threads, from its start to its end. */
  readonly cpu_s: number
  /** The most memory that it held. */
  readonly peak_MB: number
}

const clock = /\ncpu (\d+\.\d+) (\d+\.\d+)\n$/u

/** The CPU time at the end of what bash wrote to standard error, and what was there before. */
export const parseClock = (stderr: string): { readonly cpu_s: number; readonly rest: string } => {
  const [whole, user, system] = clock.exec(`\n${stderr}`) ?? []
  if (whole === undefined) throw new Error(`bash did not say how much CPU time it was: ${stderr.trim()}`)
  return { cpu_s: Number(user) + Number(system), rest: stderr.slice(0, stderr.length + 1 - whole.length) }
}

/** The program that a shell runs; undefined before and after. */
const programOf = (shell: number): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ")[0]) || undefined
  } catch {
    return undefined
  }
}

const peakOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    // it has ended
    return 0
  }
}

const look_ms = 50

/**
 * Runs a program to its end. bash takes its time, to a thousandth: Node knows the CPU time of a child only while it runs,
 * and only in hundredths.
 */
export const timed = (
  { args, file }: Command,
  env: Readonly<Record<string, string>> = {},
  keepStdout = true
): Promise<Timed> =>
  new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", 'TIMEFORMAT="cpu %3U %3S"; time "$@"', "bash", file, ...args], {
      env: { ...process.env, ...env, LC_ALL: "C" },
      stdio: ["ignore", keepStdout ? "pipe" : "ignore", "pipe"]
    })
    const text = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (chunk: string) => (text[name] += chunk))
    }
    let peak_MB = 0
    const program = () => programOf(child.pid ?? 0)
    const kill = () => {
      const pid = program()
      if (pid !== undefined) process.kill(pid)
    }
    process.once("exit", kill)
    child.once("exit", () => process.off("exit", kill))
    const looking = setInterval(() => {
      const pid = program()
      if (pid !== undefined) peak_MB = Math.max(peak_MB, peakOf(pid))
    }, look_ms)
    child.once("error", (error) => {
      clearInterval(looking)
      reject(error)
    })
    child.once("close", (exitCode) => {
      clearInterval(looking)
      try {
        const { cpu_s, rest } = parseClock(text.stderr)
        resolve({ exitCode, stdout: text.stdout, stderr: rest, cpu_s, peak_MB })
      } catch (error) {
        reject(error)
      }
    })
  })
