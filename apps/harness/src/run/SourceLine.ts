import { readFileSync } from "node:fs"

const longest = 200

/** The line of a suite at a place such as `checkout.suite.ts:11`, without what it is indented by; nothing if it cannot be read. */
export const sourceLine = (where: string): string | undefined => {
  const [, path, line] = /^(.+):(\d+)$/u.exec(where) ?? []
  if (path === undefined) return undefined
  try {
    const text = readFileSync(path, "utf8").split("\n")[Number(line) - 1]?.trim()
    return text === undefined || text === "" ? undefined : text.slice(0, longest)
  } catch {
    return undefined
  }
}
