import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A program in the place of k6. */
export interface ScriptedK6 {
  readonly path: string
  /** What it was started with. */
  readonly calls: () => ReadonlyArray<{
    readonly args: ReadonlyArray<string>
    readonly env: Readonly<Record<string, string>>
  }>
}

/** What a load test's script sums up; every threshold given by whether it held. */
export const summary = (held: Readonly<Record<string, boolean>>, counts: Readonly<Record<string, number>> = {}) => ({
  state: { testRunDurationMs: 1234 },
  metrics: {
    ...Object.fromEntries(
      Object.entries(counts).map(([name, count]) => [name, { type: "counter", contains: "default", values: { count } }])
    ),
    ...Object.fromEntries(
      Object.entries(held).map(([name, ok]) => [
        name,
        { type: "rate", contains: "default", values: { rate: 0.05 }, thresholds: { "rate<0.01": { ok } } }
      ])
    )
  }
})

/**
 * Writes a program that reports that it is k6 and runs `body`, JavaScript that can use `sumUp`, `write` and `calls`, the
 * number of calls including this one. Scripts are bundled for a k6 that doesn't read TypeScript, which takes a while.
 */
export const write = (folder: string, body: string, readsTypeScript = true): ScriptedK6 => {
  const path = join(folder, "k6")
  const calls = join(folder, "calls.jsonl")
  writeFileSync(
    path,
    `#!${process.execPath}
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
const args = process.argv.slice(2)
if (args[0] === "version") {
  console.log("k6 v9.8.7 (scripted)${readsTypeScript ? "\\n  example.test/xk6-ts v0" : ""}")
} else {
  const sumUp = (summary) => writeFileSync(process.env.WEBAGENT_LOAD_SUMMARY, JSON.stringify(summary))
  const write = (line) => process.stderr.write(line + "\\n")
  appendFileSync(${JSON.stringify(calls)}, JSON.stringify({ args, env: process.env }) + "\\n")
  const calls = readFileSync(${JSON.stringify(calls)}, "utf8").trim().split("\\n").length
  ${body}
}
`
  )
  chmodSync(path, 0o755)
  return {
    path,
    calls: () =>
      readFileSync(calls, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
  }
}
