import { isLoopback } from "@webagent/contract/Loopback"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Episode, PageResponse } from "./sites/Site.ts"

/** An episode that a server serves. */
export interface OpenEpisode {
  /** The instruction for the agent, with the address of the first page. */
  readonly instruction: string
  /** The facts that make the trial a success, and the same facts now. */
  readonly expected: unknown
  readonly actual: () => unknown
  /** True if anything requested one of its pages. */
  readonly wasOpened: () => boolean
}

/** Serves the sites of an evaluation. */
export interface SiteServer {
  /** The URL at which agents reach the sites, without a slash at its end. */
  readonly url: string
  /** The local port that it listens on. */
  readonly port: number
  /**
   * Serves an episode until the scope closes. Its pages are below a path that no agent can guess, so that the agent of one
   * trial can't open the site of another one.
   */
  readonly open: (episode: Episode) => Effect.Effect<OpenEpisode, never, Scope.Scope>
}

/** The server of the sites can't listen on its port. */
export class SitePortError extends Data.TaggedError("SitePortError")<{
  readonly port: number
  /** The system's code, such as `EADDRINUSE`. */
  readonly code: string
}> {}

/** Options of the server of sites. */
export interface SiteServerOptions {
  /** The local port; any free port by default. */
  readonly port?: number | undefined
  /** The URL at which agents reach that port; `http://127.0.0.1:PORT` by default. */
  readonly url?: string | undefined
}

/** Largest form that is read, in characters: a person's form is far smaller. */
const mostBody = 1_000_000

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) {
    body += String(chunk)
    if (body.length > mostBody) throw new RangeError("The body is too large.")
  }
  return body
}

const cookiesOf = ({ headers }: IncomingMessage): ReadonlyMap<string, string> =>
  new Map(
    (headers.cookie ?? "").split(/;\s*/u).flatMap((pair) => {
      const at = pair.indexOf("=")
      return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const]
    })
  )

const write = (response: ServerResponse, base: string, page: PageResponse | undefined): void => {
  const common = { "cache-control": "no-store" }
  if (page === undefined) {
    response.writeHead(404, { ...common, "content-type": "text/plain; charset=utf-8" }).end("There is no such page.")
    return
  }
  if (typeof page === "string") {
    response
      .writeHead(200, { ...common, "content-type": "text/html; charset=utf-8" })
      // the links of pages start at the first page, wherever they are
      .end(page.replace("<head>", `<head><base href="${base}">`))
    return
  }
  if ("redirect" in page) {
    const cookie = page.cookie === undefined ? {} : { "set-cookie": `${page.cookie}; Path=${base}; HttpOnly` }
    response.writeHead(303, { ...common, ...cookie, location: base + page.redirect.replace(/^\.\//u, "") }).end()
    return
  }
  const download =
    page.download === undefined ? {} : { "content-disposition": `attachment; filename="${page.download}"` }
  response.writeHead(200, { ...common, ...download, "content-type": page.type }).end(page.body)
}

/** Responds to a request for a page of one of the episodes; returns the first part of its path. */
const respond = async (
  episodes: ReadonlyMap<string, Episode>,
  prefix: string,
  request: IncomingMessage,
  response: ServerResponse
): Promise<string> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
  const [, name = "", path = "/"] = /^\/([^/]+)(\/.*)?$/u.exec(pathname) ?? []
  const episode = episodes.get(name)
  const body = await bodyOf(request)
  write(
    response,
    `${prefix}/${name}/`,
    episode?.respond({
      method: request.method ?? "GET",
      path: decodeURIComponent(path),
      query: searchParams,
      form: new URLSearchParams(body),
      cookies: cookiesOf(request),
      body
    })
  )
  return name
}

/**
 * Serves sites on this machine until the scope closes.
 *
 * @param options - The port, and the URL at which agents reach it.
 */
export const serve = Effect.fnUntraced(function* ({ port = 0, url }: SiteServerOptions = {}): Effect.fn.Return<
  SiteServer,
  SitePortError,
  Scope.Scope
> {
  const episodes = new Map<string, Episode>()
  const opened = new Set<string>()
  // a proxy in front may add a path
  const prefix = url === undefined ? "" : new URL(url).pathname.replace(/\/$/u, "")
  const server = createServer((request, response) => {
    respond(episodes, prefix, request, response).then(
      (name) => void (episodes.has(name) && opened.add(name)),
      () => response.destroy()
    )
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, SitePortError>((resume) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(Effect.fail(new SitePortError({ port, code: error.code ?? error.message })))
      )
      server.listen(port, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const listening = (server.address() as AddressInfo).port
  const reached = url?.replace(/\/$/u, "") ?? `http://127.0.0.1:${listening}`
  return {
    url: reached,
    port: listening,
    open: (episode) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const name = randomBytes(16).toString("hex")
          episodes.set(name, episode)
          return {
            name,
            instruction: episode.instruction(`${reached}/${name}/`),
            expected: episode.expected,
            actual: episode.actual,
            wasOpened: () => opened.has(name)
          }
        }),
        ({ name }) =>
          Effect.sync(() => {
            episodes.delete(name)
            opened.delete(name)
          })
      )
  }
})

/**
 * Returns whether a service at an address can reach sites that only this machine serves: whether it runs on this machine.
 *
 * @param address - The URL of the service.
 */
export const isOnThisMachine = (address: string): boolean => isLoopback(new URL(address).hostname)
