import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Modules that say the version of their package, as nothing may be read from a bundle at run time. */
export const stated: ReadonlyArray<readonly [folder: string, module: string]> = [
  ["packages/client/core", "src/version.ts"],
  ["packages/service/server", "src/http/endpoints/Version.ts"],
  ["apps/harness", "src/cli/Program.ts"]
]

const statement = /(export const version = )"[^"]*"/u

/** The version of the package in a folder. */
export const versionOf = (root: string, folder: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const version = typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, "version") : undefined
  if (typeof version !== "string") throw new Error(`${folder}/package.json has no version`)
  return version
}

/** Writes the versions of the packages into the modules that say them; answers with those that said another. */
export const write = (root: string): ReadonlyArray<string> =>
  stated.flatMap(([folder, module]) => {
    const path = join(root, folder, module)
    const text = readFileSync(path, "utf8")
    if (!statement.test(text)) throw new Error(`${folder}/${module} does not say a version`)
    const now = text.replace(statement, `$1"${versionOf(root, folder)}"`)
    if (now === text) return []
    writeFileSync(path, now)
    return [`${folder}/${module}`]
  })
