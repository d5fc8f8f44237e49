import { globSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../../", import.meta.url))

/** A module of an app, which no package may import: it is loaded as the program loads it. */
export const appModule = (path: string) => import(pathToFileURL(join(root, path)).href)

/** Every Markdown document that people read, relative to the root. */
export const documents = (): ReadonlyArray<string> =>
  globSync(["*.md", "docs/**/*.md", "{packages,packages/*,apps,tools}/*/*.md"], {
    cwd: root,
    exclude: (path) => path.includes("node_modules")
  }).toSorted()

/** Returns the entries of the next release's changelog, relative to the root. */
export const changesets = (): ReadonlyArray<string> => globSync(".changeset/*.md", { cwd: root }).toSorted()

/** Every module and test that may say something to people, relative to the root. */
export const sources = (): ReadonlyArray<string> =>
  globSync("{packages,packages/*,apps,tools}/*/{src,test}/**/*.ts", {
    cwd: root,
    // these tests are about the words themselves
    exclude: (path) => path.includes("node_modules") || path === "tools/docs-test/test"
  }).toSorted()

const reference =
  /^docs\/(?:README|cli|harness-configuration|environment|errors|glossary|json-output|.*-reference)\.md$/u

/** Every page that guides a reader through a task, relative to the root: the README, and `docs` without its references. */
export const guides = (): ReadonlyArray<string> =>
  globSync(["README.md", "docs/*.md"], { cwd: root })
    .filter((file) => !reference.test(file))
    .toSorted()
