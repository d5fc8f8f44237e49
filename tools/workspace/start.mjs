/**
 * `npm start`: runs every built-in suite against a simulated service. In a terminal, the service and its console then
 * stay open until Ctrl-C, which ends with the suites' exit code.
 */
import { buildConsole, buildReports, harness } from "./console.mjs"
import { install } from "./install.mjs"

const args = process.argv.slice(2)
const isAttended = process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI
// a run that isn't the whole start, such as --help or --target, has no service to keep open
const isPlain = !args.some((word) => /^--(?:help|version|target|watch|keep-open|no-keep-open)(?:=|$)/u.test(word))

if (isAttended && isPlain) {
  await install("console")
  await Promise.all([buildConsole(), buildReports()])
}
process.exitCode = await harness(["run", "--built-in", ...(isAttended && isPlain ? ["--keep-open"] : []), ...args])
if (!isAttended && isPlain) process.stdout.write("console  npm run console   (a simulated service in your browser)\n")
