/**
 * Writes the repository of this workflow into the manifest of every published package, because npm checks a package's
 * provenance against it. Reads GITHUB_SERVER_URL and GITHUB_REPOSITORY.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { publishedFolders, root } from "./Package.ts"

/** Returns a manifest with the repository of its package. */
export const withRepository = (manifest: string, url: string, directory: string): string =>
  `${JSON.stringify({ ...JSON.parse(manifest), repository: { type: "git", url: `git+${url}.git`, directory } }, null, 2)}\n`

if (import.meta.main) {
  const { GITHUB_REPOSITORY, GITHUB_SERVER_URL } = process.env
  if (GITHUB_REPOSITORY === undefined || GITHUB_SERVER_URL === undefined) {
    process.stderr.write("Set GITHUB_SERVER_URL and GITHUB_REPOSITORY, as a workflow does.\n")
    process.exit(2)
  }
  for (const folder of publishedFolders()) {
    const file = join(root, folder, "package.json")
    writeFileSync(file, withRepository(readFileSync(file, "utf8"), `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`, folder))
  }
}
