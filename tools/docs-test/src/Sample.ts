import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { appModule, root } from "./Documents.ts"

type Edit = readonly [old: string, new: string]

/** A command whose output a page shows in a fence `sample=name`. */
export interface Sample {
  readonly program: "harness" | "server"
  readonly args: ReadonlyArray<string>
  /** Runs of the harness before it in the same folder, by the folder of their report: each of an edited `checkout.suite.ts`. */
  readonly before?: Readonly<Record<string, Edit>>
  /** Has a process of its own: it writes to the process's own streams, or loads a file again. */
  readonly isAlone?: boolean
  /** Edits of `checkout.suite.ts`, each made once the output has this text since the edit before. */
  readonly edits?: ReadonlyArray<{ readonly after: string; readonly replace: Edit }>
  /** Ends a program that does not end by itself, once the output has this text since the last edit. */
  readonly until?: string
}

export const samples: Readonly<Record<string, Sample>> = {
  start: { program: "harness", args: ["run", "--suite", "control"] },
  failure: { program: "harness", args: ["run", "checkout.suite.ts"] },
  debug: {
    program: "harness",
    args: ["run", "v4-runs", "--name", "a completed run has its result", "--debug"],
    isAlone: true
  },
  watch: {
    program: "harness",
    args: ["run", "checkout.suite.ts", "--watch"],
    edits: [{ after: "FAILED: 2", replace: ['"soldout"', '"ordered"'] }],
    until: "FAILED: 1",
    isAlone: true
  },
  compare: {
    program: "harness",
    args: ["compare", "release", "candidate"],
    before: { release: ['"soldout"', '"ordered"'], candidate: ["", ""] }
  },
  serve: { program: "harness", args: ["serve", "--port", "0", "--api-key", "wak_dev"], until: "key " },
  server: { program: "server", args: ["simulate", "--port", "0"], until: "\nkey " },
  control: {
    program: "server",
    args: ["simulate", "--port", "0", "--profile", "flaky", "--time-scale", "60", "--control"],
    until: "control-key"
  },
  remote: { program: "harness", args: ["load", "smoke", "--target", "https://api.example.com"] }
}

/** The commands of the harness in this process, as its own tests run them. */
const inProcess: Promise<{
  readonly begin: (args: ReadonlyArray<string>) => {
    readonly ended: Promise<{ readonly stdout: string; readonly stderr: string }>
    readonly says: (text: string) => Promise<string>
    readonly stop: () => void
  }
}> = appModule("apps/harness/test/cli/inProcess.ts")

/** Runs the harness in this process: one of its own takes a second of CPU to start. */
const harness = async (args: ReadonlyArray<string>, until?: string): Promise<string> => {
  const { begin } = await inProcess
  const { ended, says, stop } = begin(args)
  if (until !== undefined) await says(until).then(stop)
  const { stderr, stdout } = await ended
  return stderr + stdout
}

/** Runs a sample in a folder of its own, and gives all that it prints. No other sample may run meanwhile. */
export const outputOf = async (sample: Sample): Promise<string> => {
  const { args, before = {}, edits = [], isAlone = sample.program === "server", program, until } = sample
  const folder = join(root, "tools/docs-test/.webagent/samples")
  mkdirSync(folder, { recursive: true })
  const cwd = mkdtempSync(join(folder, "sample-"))
  const suite = join(cwd, "checkout.suite.ts")
  cpSync(join(root, "tools/docs-test/samples/checkout.suite.ts"), suite)
  const edited = (replace: Edit) => readFileSync(suite, "utf8").replace(...replace)
  if (!isAlone) {
    const home = process.cwd()
    process.chdir(cwd)
    try {
      for (const [name, replace] of Object.entries(before)) {
        // a process loads a file once
        const copy = `${name}.suite.ts`
        writeFileSync(copy, edited(replace))
        await harness(["run", copy, "--report-dir", name])
      }
      return await harness(args, until)
    } finally {
      process.chdir(home)
    }
  }

  const main = join(root, `apps/${program}/src/main.ts`)
  const child = spawn(process.execPath, ["--conditions=@webagent/source", main, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "1" },
    timeout: 100_000,
    killSignal: "SIGKILL"
  })
  let [output, seen, next] = ["", 0, 0]
  const read = (chunk: Buffer) => {
    output += chunk.toString()
    const due = edits[next]
    if (due !== undefined && output.includes(due.after, seen)) {
      seen = output.length
      next++
      writeFileSync(suite, edited(due.replace))
    } else if (due === undefined && until !== undefined && output.includes(until, seen)) child.kill("SIGINT")
  }
  child.stdout.on("data", read)
  child.stderr.on("data", read)
  return new Promise((resolve) => child.once("close", () => resolve(output)))
}

const masked = (line: string): string =>
  line
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, "ID")
    .replaceAll(/\bw[ac]k_[\w-]{24,}/gu, "KEY")
    .replaceAll(/\d[\d.,:T-]*(?: (?:ms|s)\b)?/gu, "#")
    .replaceAll(/ {2,}/gu, " ")
    .trimEnd()

/**
 * Returns whether a printed line matches the line of a page. Numbers, ids and spaces may differ; `…` stands for
 * anything.
 */
const isShown = (printed: string, shown: string): boolean => {
  const parts = masked(shown).split("…")
  const escaped = parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/gu, "\\$&"))
  return new RegExp(`^${escaped.join(".*")}$`, "u").test(masked(printed))
}

/** The first line of a fence that the output does not have where it should; `...` stands for any lines. */
export const missing = (shown: string, output: string): string | undefined => {
  const printed = output.split("\n")
  let [next, isAnywhere] = [0, true]
  for (const line of shown.split("\n")) {
    if (line.startsWith("$ ")) continue
    if (line === "...") {
      isAnywhere = true
      continue
    }
    const matchingLine = isAnywhere
      ? printed.findIndex((text, index) => index >= next && isShown(text, line))
      : isShown(printed[next] ?? "", line)
        ? next
        : -1
    if (matchingLine === -1) return line
    next = matchingLine + 1
    isAnywhere = false
  }
  return undefined
}
