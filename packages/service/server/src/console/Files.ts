import { consolePath } from "@webagent/admin"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { readdir, readFile } from "node:fs/promises"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import * as ErrorResponse from "../http/policy/ErrorResponse.ts"
import { cached, uncached } from "./Headers.ts"

// this module's sources are used in the workspace, where the app has its own folder; the package has the built files
const home = import.meta.url.endsWith(".ts") ? "../../../../../apps/console/dist/" : "../web/"

/** The folder of the console's files. */
export const defaultFolder = fileURLToPath(new URL(home, import.meta.url))

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2"
}

/** Content codings of compressed files, the smallest first. */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"]
] as const

interface File {
  readonly type: string
  /** The content by its coding; `identity` is always there. */
  readonly bodies: ReadonlyMap<string, Uint8Array>
  readonly isHashed: boolean
}

const extensionOf = (name: string) => name.slice(name.lastIndexOf(".") + 1)

/** Reads all files of the console: it's a megabyte, and no request then reads a disk or names a path. */
const read = async (folder: string): Promise<ReadonlyMap<string, File>> => {
  const names = new Set(
    (await readdir(folder, { recursive: true, encoding: "utf8" })).map((name) => name.split(sep).join("/"))
  )
  const files = new Map<string, File>()
  for (const name of names) {
    const type = types[extensionOf(name)]
    if (type === undefined) continue
    const bodies = new Map<string, Uint8Array>()
    for (const [coding, suffix] of codings)
      if (names.has(`${name}${suffix}`)) bodies.set(coding, await readFile(join(folder, `${name}${suffix}`)))
    bodies.set("identity", await readFile(join(folder, name)))
    files.set(name, { type, bodies, isHashed: name.startsWith("assets/") })
  }
  return files
}

/** True if a client accepts a content coding. */
const accepts = (header: string, coding: string) =>
  header.split(",").some((part) => {
    const [name = "", ...parameters] = part.trim().toLowerCase().split(";")
    return name.trim() === coding && !parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/u.test(parameter))
  })

const respond = ({ bodies, isHashed, type }: File, accepted: string) => {
  const [coding, body] = [...bodies].find(([name]) => name === "identity" || accepts(accepted, name)) ?? ["identity"]
  return HttpServerResponse.uint8Array(body ?? new Uint8Array(), {
    contentType: type,
    headers: {
      ...(isHashed ? cached : uncached),
      ...(coding === "identity" ? {} : { "content-encoding": coding }),
      vary: "accept-encoding"
    }
  })
}

const unbuilt = ErrorResponse.make(
  503,
  "The console's files are not built. Run npm run console in the repository once; packages have them built",
  uncached
)

const missing = ErrorResponse.make(404, "The console has no such file", uncached)

/**
 * Serves the files of a console at a path. An address of a screen, which is any path without a file, gets the page: its
 * script shows the screen.
 */
export const make = (folder: string, at = consolePath) => {
  let files: Promise<ReadonlyMap<string, File>> | undefined
  const all = Effect.tryPromise(() => (files ??= read(folder))).pipe(
    // the next request looks again: the console may be built by then
    Effect.tapError(() => Effect.sync(() => (files = undefined)))
  )
  return (request: HttpServerRequest.HttpServerRequest, path: string) =>
    Effect.match(all, {
      onFailure: () => unbuilt,
      onSuccess: (existing) => {
        const name = path.slice(at.length + 1)
        const accepted = request.headers["accept-encoding"] ?? ""
        const file = existing.get(name)
        if (file !== undefined) return respond(file, accepted)
        // a browser that has an old page asks for files of the version before
        if (name.startsWith("assets/")) return missing
        const page = existing.get("index.html")
        return page === undefined ? unbuilt : respond(page, accepted)
      }
    })
}
