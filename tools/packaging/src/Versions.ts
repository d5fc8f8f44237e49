import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Manifest } from "./Package.ts"

const constant = /(?<=export const version = ")[^"]*/u

/** Files that have the version of a package: modules, which can't read it from a bundle, and the files that name our images. */
export const stated: ReadonlyArray<readonly [folder: string, file: string, pattern: RegExp]> = [
  ["packages/client/core", "packages/client/core/src/version.ts", constant],
  ["packages/service/server", "packages/service/server/src/http/endpoints/Version.ts", constant],
  ["apps/harness", "apps/harness/src/cli/Program.ts", constant],
  ["apps/server", "deploy/helm/webagent-server/Chart.yaml", /(?<=^(?:appV|v)ersion: )\S+/gmu],
  ["apps/server", "deploy/kubernetes/chromium.yaml", /(?<=image: webagent-server:)\S+(?=-chromium)/u],
  ["apps/server", "deploy/kubernetes/migrate.yaml", /(?<=image: webagent-server:)\S+/u]
]

/** The version of the package in a folder. */
export const versionOf = (root: string, folder: string): string => {
  const { version }: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  return version
}

/** Writes the versions of the packages into the files that have them, and returns the changed files. */
export const write = (root: string): ReadonlyArray<string> =>
  stated.flatMap(([folder, file, pattern]) => {
    const path = join(root, file)
    const text = readFileSync(path, "utf8")
    if (text.search(pattern) === -1) throw new Error(`${file} does not have a version`)
    const now = text.replace(pattern, versionOf(root, folder))
    if (now === text) return []
    writeFileSync(path, now)
    return [file]
  })

/** Returns the changesets that the next release will contain, and that `npm run version:packages` has not applied yet. */
export const pendingChangesets = (root: string): ReadonlyArray<string> =>
  globSync(".changeset/*.md", { cwd: root }).toSorted()
