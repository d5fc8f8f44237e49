import { execFile } from "node:child_process"
import { createReadStream, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const app = fileURLToPath(new URL("..", import.meta.url))

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml"
}

/** The built site in a folder of its own, for a host that serves it below `/manual/`. */
export const build = async () => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-docs-"))
  const vitepress = join(app, "node_modules/vitepress/bin/vitepress.js")
  const env = { ...process.env, NODE_ENV: "production", WEBAGENT_DOCS_OUT: folder, WEBAGENT_DOCS_BASE: "/manual/" }
  await promisify(execFile)(process.execPath, [vitepress, "build", app], { cwd: app, env })
  return {
    folder,
    pages: globSync("**/*.html", { cwd: folder }).toSorted(),
    remove: () => rmSync(folder, { recursive: true })
  }
}

/** A link of a page to a page or a file of the site. */
interface Link {
  readonly page: string
  readonly href: string
  /** Path of the file below the folder. */
  readonly file: string
  readonly anchor: string
}

const withoutScripts = (html: string) => html.replaceAll(/<script\b[\s\S]*?<\/script>/gu, "")

const decoded = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"')

/** The links of a page that stay on the site, and the anchors that it has. */
export const readPage = (folder: string, page: string) => {
  const html = withoutScripts(readFileSync(join(folder, page), "utf8"))
  const anchors = new Set(Array.from(html.matchAll(/\sid="([^"]+)"/gu), ([, id = ""]) => decoded(id)))
  const links = Array.from(html.matchAll(/<a\b[^>]*\shref="([^"]+)"/gu), ([, href = ""]) => decoded(href))
    .filter((href) => !/^(?:https?|mailto):/u.test(href))
    .map((href): Link => {
      const { hash, pathname } = new URL(href, `http://site/manual/${page}`)
      const path = decodeURI(pathname)
      const file = path.startsWith("/manual/") ? path.slice("/manual/".length) : path
      return {
        page,
        href,
        file: file === "" || file.endsWith("/") ? `${file}index.html` : file,
        anchor: decodeURIComponent(hash.slice(1))
      }
    })
  return { anchors, links }
}

/** Serves the folder as a static host does, without rules of its own. */
export const serve = async (folder: string) => {
  const server = createServer(({ url = "/" }, response) => {
    const path = posix.normalize(decodeURI(new URL(url, "http://site").pathname))
    const file = join(folder, path.replace(/^\/manual\//u, "").replace(/\/$/u, "/index.html") || "index.html")
    if (!path.startsWith("/manual/") || !existsSync(file)) return response.writeHead(404).end()
    response.writeHead(200, { "content-type": mediaTypes[extname(file)] ?? "application/octet-stream" })
    return createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, address: (page: string) => `${origin}/manual/${page}`, close: () => server.close() }
}
