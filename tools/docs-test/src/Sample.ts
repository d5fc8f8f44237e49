import { spawn, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./Documents.ts"

type Edit = readonly [old: string, new: string]

/** A command whose output a page shows in a fence `sample=name`. */
export interface Sample {
  readonly program: "harness" | "server"
  readonly args: ReadonlyArray<string>
  /** Runs of the harness before it in the same folder, each after an edit of `checkout.suite.ts`. */
  readonly before?: ReadonlyArray<{ readonly args: ReadonlyArray<string>; readonly replace: Edit }>
  /** Edits of `checkout.suite.ts`, each made once the output has this text since the edit before. */
  readonly edits?: ReadonlyArray<{ readonly after: string; readonly replace: Edit }>
  /** Ends a program that does not end by itself, once the output has this text since the last edit. */
  readonly until?: string
}

export const samples: Readonly<Record<string, Sample>> = {
  start: { program: "harness", args: ["run", "--suite", "control"] },
  failure: { program: "harness", args: ["run", "checkout.suite.ts"] },
  debug: { program: "harness", args: ["run", "v4-runs", "--name", "a completed run has its result", "--debug"] },
  watch: {
    program: "harness",
    args: ["run", "checkout.suite.ts", "--watch"],
    edits: [{ after: "RED: 2", replace: ['"soldout"', '"ordered"'] }],
    until: "RED: 1"
  },
  compare: {
    program: "harness",
    args: ["compare", "release", "candidate"],
    before: [
      { args: ["run", "checkout.suite.ts", "--report-dir", "release"], replace: ['"soldout"', '"ordered"'] },
      { args: ["run", "checkout.suite.ts", "--report-dir", "candidate"], replace: ['"ordered"', '"soldout"'] }
    ]
  },
  serve: { program: "harness", args: ["serve", "--api-key", "wak_dev"], until: "try it" },
  server: { program: "server", args: ["--port", "0"], until: "key " },
  control: {
    program: "server",
    args: ["--port", "0", "--profile", "flaky", "--time-scale", "60", "--control"],
    until: "control-key"
  },
  remote: { program: "harness", args: ["load", "smoke", "--target", "https://api.example.com"] }
}

const programOf = ({ program }: Pick<Sample, "program">) => [
  "--conditions=@webagent/source",
  join(root, `apps/${program}/src/main.ts`)
]

/** Runs a sample in a folder of its own, and gives all that it prints. */
export const outputOf = async (sample: Sample): Promise<string> => {
  const { args, before = [], edits = [], until } = sample
  const folder = join(root, "tools/docs-test/.webagent/samples")
  mkdirSync(folder, { recursive: true })
  const cwd = mkdtempSync(join(folder, "sample-"))
  const suite = join(cwd, "checkout.suite.ts")
  cpSync(join(root, "tools/docs-test/samples/checkout.suite.ts"), suite)
  const options = { cwd, env: { ...process.env, NO_COLOR: "1" }, timeout: 100_000, killSignal: "SIGKILL" } as const
  const edit = (replace: Edit) => writeFileSync(suite, readFileSync(suite, "utf8").replace(...replace))
  for (const { args, replace } of before) {
    edit(replace)
    spawnSync(process.execPath, [...programOf({ program: "harness" }), ...args], options)
  }

  const child = spawn(process.execPath, [...programOf(sample), ...args], options)
  let [output, seen, next] = ["", 0, 0]
  const read = (chunk: Buffer) => {
    output += chunk.toString()
    const due = edits[next]
    if (due !== undefined && output.includes(due.after, seen)) {
      seen = output.length
      next++
      edit(due.replace)
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

/** Whether a printed line is the one that a page shows. Numbers, ids and spaces may differ; `…` stands for anything. */
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
    const found = isAnywhere
      ? printed.findIndex((text, index) => index >= next && isShown(text, line))
      : isShown(printed[next] ?? "", line)
        ? next
        : -1
    if (found === -1) return line
    next = found + 1
    isAnywhere = false
  }
  return undefined
}
