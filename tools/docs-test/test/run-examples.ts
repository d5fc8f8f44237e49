import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { format } from "node:util"
import { simulate } from "@webagent/simulation"

// Imports every example in a folder, next to a simulated service, and prints a line for each that throws or prints
// something else than its comments say: console.log(Math.max(1, 2)) // 2

const [folder = "."] = process.argv.slice(2)

/** Returns the comments behind the calls of `console.log`. One that begins with "for example" isn't exact. */
const expectedOf = (code: string): ReadonlyArray<string | undefined> =>
  Array.from(code.matchAll(/^console\.log\(.*\)(?: \/\/ (.*))?$/gmu), ([, comment]) =>
    comment?.startsWith("for example") === true ? undefined : comment
  )

/** As people write it: with double quotes, and without spaces inside of brackets. */
const written = (values: ReadonlyArray<unknown>) =>
  format(...values)
    .replaceAll("'", '"')
    .replaceAll(/(?<=\[) | (?=\])/gu, "")

const service = await simulate()
Object.assign(process.env, service.env)

let printed: Array<string> = []
console.log = (...values: ReadonlyArray<unknown>) => void printed.push(written(values))

for (const name of readdirSync(folder).filter((file) => file.endsWith(".ts"))) {
  printed = []
  try {
    await import(pathToFileURL(join(folder, name)).href)
  } catch (error) {
    // the ids in examples are made up
    if (!/^\w+NotFoundError: /u.test(String(error))) process.stdout.write(`${name}: ${String(error)}\n`)
    continue
  }
  for (const [index, expected] of expectedOf(readFileSync(join(folder, name), "utf8")).entries())
    if (expected !== undefined && expected !== printed[index])
      process.stdout.write(`${name}: prints ${printed[index]}, and not ${expected}\n`)
}
// an example may leave a server or a timer
process.exit(0)
