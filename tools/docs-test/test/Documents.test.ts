import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { documents, root } from "../src/Documents.ts"
import { examples } from "../src/Examples.ts"
import { fences, shown } from "../src/Fence.ts"

const all = documents().flatMap((document) => fences(root, document))
const here = dirname(fileURLToPath(import.meta.url))

const withoutCode = (document: string) =>
  readFileSync(join(root, document), "utf8").replaceAll(/^```[\s\S]*?^```/gmu, "")

/** The names under which GitHub shows the headings of a document. */
const headings = (document: string): ReadonlyArray<string> =>
  Array.from(withoutCode(document).matchAll(/^#+ (.*)$/gmu), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/gu, "-")
  )

/** Writes the fences of documents and the examples of doc comments, each as a module, and returns their places by name. */
const writeSnippets = () => {
  const folder = join(here, "..", ".webagent", "fences")
  rmSync(folder, { recursive: true, force: true })
  const names = new Map<string, string>()
  const write = (kind: "documents" | "examples", file: string, line: number, code: string) => {
    const name = `${file.replaceAll(/[/.]/gu, "_")}_${line}.ts`
    names.set(name, `${file}:${line}`)
    mkdirSync(join(folder, kind), { recursive: true })
    writeFileSync(join(folder, kind, name), `${code}\nexport {}\n`)
  }
  for (const { code, document, file, language, line } of all)
    if (language === "ts" && file === undefined) write("documents", document, line, code)
  for (const { code, file, line } of examples()) write("examples", file, line, code)
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../../tsconfig.base.json",
      compilerOptions: { noEmit: true, noUnusedLocals: false },
      include: ["*/*.ts"]
    })
  )
  return { folder, names }
}

/** A report with the places of snippets instead of the names of their modules. */
const withPlaces = (report: string, names: ReadonlyMap<string, string>) =>
  report.replaceAll(/^(?:\w+\/)?(\S+?\.ts)/gmu, (path, name) => names.get(name) ?? path)

describe("documents", () => {
  it("exist and contain fences", () => {
    assert.include(documents(), "README.md")
    assert.isNotEmpty(all)
  })

  for (const fence of all.filter(({ file }) => file !== undefined)) {
    it(`${fence.document}:${fence.line} equals ${fence.file}; if not: pnpm docs`, () => {
      assert.strictEqual(fence.code, shown(root, fence.file ?? ""))
    })
  }

  // Compiled inside this package, which depends on every public one; a fence is a module of its own.
  it("compile every other ts fence, and every example in a package's doc comments", () => {
    const { folder, names } = writeSnippets()
    try {
      execFileSync("tsc", ["-p", folder], { cwd: folder, encoding: "utf8", stdio: "pipe" })
    } catch (error) {
      const { stdout } = error as { readonly stdout: string }
      assert.fail(withPlaces(stdout, names))
    }
  })

  it("load every example in a package's doc comments, and print what its comments say", () => {
    const { folder, names } = writeSnippets()
    const problems = execFileSync(
      process.execPath,
      ["--conditions=@webagent/source", join(here, "run-examples.ts"), join(folder, "examples")],
      { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], timeout: 300_000 }
    )
    assert.strictEqual(withPlaces(problems, names), "")
  })

  // A link to a file or a heading that was moved is the commonest lie of a document.
  for (const document of documents()) {
    it(`${document} has only links that lead somewhere`, () => {
      const text = withoutCode(document)
      for (const [, link = "", heading] of text.matchAll(
        /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?(?: "[^"]*")?\)/gu
      )) {
        const target = link === "" ? document : join(dirname(document), link)
        assert.isTrue(existsSync(join(root, target)), link)
        if (heading !== undefined && target.endsWith(".md")) assert.include(headings(target), heading, target)
      }
    })
  }
})
