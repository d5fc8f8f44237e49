/** Runs a program that starts another one, in a folder that it removes when it's interrupted. */
import { mkdtempSync, rmSync } from "node:fs"
import { abortOnInterrupt, runNode } from "../../src/Interrupts.ts"

const wait = "setInterval(() => undefined, 1000)"
const server = `console.log("server", process.pid); ${wait}`
const program = `require("node:child_process").spawn(process.execPath, ["-e", process.argv[1]], { stdio: "inherit" }); ${wait}`

const [, , parent = ""] = process.argv
const signal = abortOnInterrupt()
const folder = mkdtempSync(parent)
try {
  await runNode(["-e", program, server], { cwd: folder, signal })
} catch {
  console.log("interrupted", signal.aborted)
} finally {
  rmSync(folder, { recursive: true })
}
