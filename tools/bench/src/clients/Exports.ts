import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Entries of a package, with the file of each condition. */
export type Exports = Readonly<Record<string, Readonly<Record<string, string>> | null>>

/** Reads the entries that a client has in a version. */
export const exportsOf = (source: string, client: string): Exports =>
  JSON.parse(readFileSync(join(source, "packages", "client", client, "package.json"), "utf8")).exports
