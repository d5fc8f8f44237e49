import { tokenHeader, uiApiPath } from "@webagent/harness-api"
import * as Context from "effect/Context"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { randomBytes, timingSafeEqual } from "node:crypto"

/** The secrets of a process, and the port that it serves. */
export interface GuardService {
  /** The secret of the printed address. It opens a session, and serves clients that are no browser. */
  readonly token: string
  /** The secret of the session's cookie. */
  readonly session: string
  /** The name of the cookie: cookies of this machine are shared by all its ports. */
  readonly cookie: string
  readonly port: number
}

/** The secrets of a process, and the port that it serves. */
export class Guard extends Context.Service<Guard, GuardService>()("webagent-harness/ui/Guard") {}

const secret = () => randomBytes(24).toString("base64url")

/** Makes the secrets of a process that listens on a port. */
export const make = (port: number): GuardService => ({
  token: secret(),
  session: secret(),
  cookie: `webagent_ui_${port}`,
  port
})

/** Compares secrets in a time that tells nothing of them. */
export const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * True if a request names this machine and the port. DNS rebinding: a web page can point its own name to 127.0.0.1, and
 * then has the same origin as this server. Its requests still carry its name.
 */
export const isOwnHost = (host: string | undefined, { port }: GuardService): boolean =>
  host === `127.0.0.1:${port}` || host === `localhost:${port}`

/** True if a page of another origin sends the request, as browsers say in `Sec-Fetch-Site` and `Origin`. */
export const isForeign = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return true
  return origin !== undefined && origin !== `http://${host}`
}

/** True if the request has the token in its header, as clients have it that are no browser. */
const hasToken = ({ headers }: HttpServerRequest.HttpServerRequest, { token }: GuardService): boolean =>
  isSame(headers[tokenHeader] ?? "", token)

/** True if a browser says that the page itself sends the request. */
const isOwnPage = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  headers["sec-fetch-site"] === "same-origin" || headers["origin"] === `http://${headers["host"]}`

/**
 * True if a request may use the API: with the token, or with the session's cookie. A change with the cookie must also
 * come from the page: a browser sends the cookie with requests of other programs on this machine, too.
 */
export const mayUse = (request: HttpServerRequest.HttpServerRequest, guard: GuardService): boolean => {
  if (hasToken(request, guard)) return true
  if (!isSame(request.cookies[guard.cookie] ?? "", guard.session)) return false
  return request.method === "GET" || request.method === "HEAD" || isOwnPage(request)
}

/** The path of the operation that opens a session, which needs the token in its body. */
export const sessionPath = `${uiApiPath}/session`
