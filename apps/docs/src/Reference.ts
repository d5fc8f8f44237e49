import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Item, Reference } from "./Sidebar.ts"
import { referenceFolder, root } from "./Site.ts"
import { apiPage, kindOf, modulesPage } from "./ApiPage.ts"
import { parseDoc } from "./DocComment.ts"
import { httpPage } from "./HttpPage.ts"
import { cell, table } from "./Markdown.ts"
import { type Exports, makeReader } from "./Modules.ts"

/** Entry points with a page of their own, in the order of the sidebar. */
export const entries: ReadonlyArray<string> = `
  v4 v4/promise v4/events v4/promise/events v4/account v4/promise/account v4/webhooks
  v3 v3/promise v3/account v3/promise/account v2 v2/promise
  core core/promise polling scenario scenario/promise simulation control
  contract contract/v4 contract/v3 contract/v2`
  .trim()
  .split(/\s+/u)
  .map((name) => `@webagent/${name}`)
  .concat("webagent-harness")

/** Packages whose modules are their entry points: one page for all of them. */
const modulePackages = ["@webagent/report", "@webagent/load"]

/** OpenAPI documents, by the name of their page. */
const documents = {
  v4: { title: "HTTP API v4", file: "packages/contract/openapi/v4.json" },
  v3: { title: "HTTP API v3", file: "packages/contract/openapi/v3.json" },
  v2: { title: "HTTP API v2", file: "packages/contract/openapi/v2.json" },
  admin: { title: "Admin API", file: "packages/service/admin/openapi/admin.json" }
}

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

interface Manifest {
  readonly folder: string
  readonly name: string
  readonly description: string
  readonly exports?: Readonly<Record<string, { readonly "@webagent/source"?: string } | null>>
}

const manifests = (): ReadonlyMap<string, Manifest> =>
  new Map(
    globSync("{packages,packages/*,apps}/*/package.json", {
      cwd: root,
      exclude: (path) => path.includes("node_modules")
    }).map((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8"))
      return [manifest.name, { ...manifest, folder: dirname(path) }] as const
    })
  )

/** The module of an entry such as `@webagent/v4/promise`. */
const sourceOf = (manifest: Manifest | undefined, subpath: string): string => {
  const file = manifest?.exports?.[subpath]?.["@webagent/source"]
  if (manifest === undefined || file === undefined) throw new Error(`${manifest?.name} has no entry ${subpath}.`)
  return join(root, manifest.folder, file)
}

const writeApi = (): Array<Item> => {
  const packages = manifests()
  const { exportsOf } = makeReader(root, new Map([...packages].map(([name, { folder }]) => [name, folder])))
  writeErrors((name) => exportsOf(sourceOf(packages.get(name), ".")))
  const add = (name: string, text: string): Item => {
    const page = `reference/api/${name.replace("@webagent/", "").replaceAll("/", "-")}`
    write(join(root, "apps/docs", `${page}.md`), text)
    return { text: name.replace("@webagent/", ""), link: `/${page}` }
  }
  return [
    ...entries.map((entry) => {
      const [name = "", subpath = ""] = /^((?:@\w+\/)?[\w-]+)(.*)$/u.exec(entry)?.slice(1) ?? []
      const manifest = packages.get(name)
      const path = sourceOf(manifest, `.${subpath}`)
      return add(entry, apiPage(entry, manifest?.description ?? "", exportsOf(path)))
    }),
    ...modulePackages.map((name) => {
      const manifest = packages.get(name)
      const subpaths = Object.entries(manifest?.exports ?? {}).flatMap(([subpath, value]) =>
        value === null ? [] : [subpath]
      )
      const modules = subpaths.map((subpath) => [subpath.slice(2), exportsOf(sourceOf(manifest, subpath))] as const)
      return add(name, modulesPage(name, manifest?.description ?? "", modules))
    })
  ]
}

/** Writes the table of all error classes of the clients for Effect; the promise clients reject with the same names. */
const writeErrors = (exportsOf: (entry: string) => Exports): void => {
  const clients = ["v4", "v3", "v2"]
  const errors = new Map<string, { readonly text: string; readonly links: Array<string> }>()
  for (const client of clients)
    for (const [name, [exported]] of exportsOf(`@webagent/${client}`)) {
      if (exported?.declaration?.type !== "ClassDeclaration" || kindOf(exported, name) !== "Errors") continue
      const [summary = ""] = /^[\s\S]+?\.(?=\s|$)/u.exec(parseDoc(exported.doc).text) ?? []
      const error = errors.get(name) ?? { text: cell(summary), links: [] }
      error.links.push(`[${client}](api/${client}.md#${name.toLowerCase()})`)
      errors.set(name, error)
    }
  const rows = [...errors]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, { links, text }]) => [`\`${name}\``, text, links.join(", ")])
  const intro = `Every error class that the clients export, generated from the sources. With Effect, catch an error by its \`_tag\`, which is the name of its class. The promise clients reject with errors of the same names. To decide which errors you should handle, read [Errors](../../../docs/errors.md).`
  write(
    join(root, referenceFolder, "errors.md"),
    ["# Error classes", "", intro, "", ...table(["error", "meaning", "clients"], rows)].join("\n")
  )
}

const writeHttp = (): Array<Item> =>
  Object.entries(documents).map(([name, { file, title }]) => {
    const copy = `openapi/${name}.json`
    mkdirSync(join(root, "apps/docs/public/openapi"), { recursive: true })
    cpSync(join(root, file), join(root, "apps/docs/public", copy))
    write(
      join(root, referenceFolder, `http/${name}.md`),
      httpPage(title, `/${copy}`, JSON.parse(readFileSync(join(root, file), "utf8")))
    )
    return { text: title, link: `/reference/http/${name}` }
  })

/** The pages of commands, which `npm run docs` writes, in a group per program. */
const cliItems = (): Array<Item> => {
  const pages = globSync("docs/cli/*.md", { cwd: root }).map((file) => {
    const [title = ""] = readFileSync(join(root, file), "utf8").split("\n")
    const [program = "", ...command] = title.replace(/^# /u, "").split(" ")
    return { program, text: command.join(" "), link: file.replace(/^docs(.*)\.md$/u, "$1") }
  })
  return [...Map.groupBy(pages, ({ program }) => program)].map(([program, commands]) => {
    const [own, ...below] = commands.toSorted((one, other) => one.text.localeCompare(other.text))
    return {
      text: program,
      link: own?.link ?? "/cli",
      collapsed: true,
      items: below.map(({ link, text }) => ({ text, link }))
    }
  })
}

/** Writes the references that are generated from sources and OpenAPI documents, and returns their places in the sidebar. */
export const writeReference = (): Reference => {
  rmSync(join(root, referenceFolder), { recursive: true, force: true })
  return { api: writeApi(), http: writeHttp(), cli: cliItems() }
}
