import { fileURLToPath } from "node:url"

/** The root of the repository, without a slash at its end. */
export const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/u, "")

/**
 * Address of the repository's files on a web host, such as `https://git.example/webagent/blob/main`. Without it, the
 * site shows the paths of files that aren't pages as text.
 */
export const source = process.env["WEBAGENT_DOCS_SOURCE"]?.replace(/\/$/u, "")

/** Folder of generated references, relative to the root. Git ignores it. */
export const referenceFolder = "apps/docs/reference"

/** Markdown outside of `docs/` that becomes pages, by file. */
const otherPages: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "docs/README.md": "guides.md",
  "packages/contract/ASSUMPTIONS.md": "assumptions.md",
  "packages/harness/nights/STATISTICS.md": "statistics.md"
}

/** Returns the path of a file's page on the site; undefined if the file isn't a page. */
export const pageOf = (file: string): string | undefined => {
  if (otherPages[file] !== undefined) return otherPages[file]
  if (file.startsWith("docs/decisions/") || !file.endsWith(".md")) return undefined
  if (file.startsWith("docs/")) return file.slice("docs/".length)
  if (file.startsWith(`${referenceFolder}/`)) return file.slice("apps/docs/".length)
  return /^(?:packages\/(?!testing\/)|apps\/(?!docs\/)).*\/README\.md$/u.test(file)
    ? file.replace(/README\.md$/u, "index.md")
    : undefined
}

/** Returns the anchor that GitHub gives to a heading, so that a link works in the repository and on the site. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/gu, "-")
