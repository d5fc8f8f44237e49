import { relative } from "node:path"
import { fileURLToPath } from "node:url"

const frame = /(?:^|[\s(])((?:file:\/\/)?\/[^():]+|[A-Za-z]:\\[^():]+):(\d+):\d+\)?$/u
const own = fileURLToPath(new URL(".", import.meta.url))

const pathOf = (location: string): string => (location.startsWith("file://") ? fileURLToPath(location) : location)

/** Every stack frame of an error that is a place in a file, nearest first. */
const frames = (error: Error): ReadonlyArray<{ readonly path: string; readonly line: string }> =>
  (error.stack ?? "").split("\n").flatMap((text) => {
    const match = frame.exec(text.trim())
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ path: pathOf(match[1]), line: match[2] }]
  })

/**
 * Returns the place in a suite's own code that an error comes from: the nearest stack frame outside of this package and
 * of `node_modules`, or the nearest one in `file`.
 *
 * @param error - An error with a stack.
 * @param file - The only file that counts, as a path relative to the working directory; by default, every file
 *   outside of packages.
 * @returns The place as `path:line`, or undefined if no file of the suite is in the stack.
 * @example
 * ```ts
 * import { whereOf } from "@webagent/scenario"
 *
 * console.log(whereOf(new Error("no mug"))) // for example "shop.suite.ts:12"
 * ```
 */
export const whereOf = (error: Error, file?: string): string | undefined => {
  for (const { path, line } of frames(error)) {
    const shown = relative(process.cwd(), path)
    const fits = file === undefined ? !path.startsWith(own) && !path.includes("node_modules") : shown === file
    if (fits) return `${shown}:${line}`
  }
  return undefined
}
