import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Clock from "effect/Clock"
import { LinkTokens } from "./LinkTokens.ts"
import { originOf } from "./Origin.ts"

/** The path that takes the bytes of an upload, also as a route with `:upload_id`. */
export const uploadPath = <const Id extends string>(uploadId: Id) => `/uploads/${uploadId}` as const

/** The path of a file of a workspace, also as a route with `:workspace_id`. Its query has the path of the file. */
export const filePath = <const Id extends string>(workspaceId: Id) => `/files/${workspaceId}` as const

/** For how long the link to a file opens it. */
const lifetime_s = 900

/** The text that the token of a download is for. */
const downloadOf = (
  workspaceId: string,
  query: { readonly path: string; readonly expires: string; readonly as: string }
) => JSON.stringify([filePath(workspaceId), query.path, query.expires, query.as])

/** The `Content-Disposition` of a download that a browser saves under a name, which may have any characters. */
export const downloadAs = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replaceAll(/['()*!]/gu, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)}`

/** True if a link opens a file at this time. */
export const opensFile = (
  tokens: LinkTokens["Service"],
  workspaceId: string,
  {
    as,
    expires,
    path,
    token
  }: { readonly path: string; readonly expires: string; readonly as: string; readonly token: unknown },
  now_ms: number
): boolean =>
  /^\d{1,12}$/u.test(expires) &&
  Number(expires) * 1000 > now_ms &&
  tokens.opens(downloadOf(workspaceId, { path, expires, as }), token)

/** The links to files in responses. They take a token and no key. */
export interface FileLinks {
  /** Address that an upload is sent to. */
  readonly upload: (uploadId: string) => string
  /** Address of a file; `as` is its `Content-Disposition`. */
  readonly file: (workspaceId: string, path: string, as: string) => string
}

/** Makes the links of responses. */
export const make = Effect.map(
  LinkTokens,
  (tokens) => (request: HttpServerRequest.HttpServerRequest) =>
    Effect.zipWith(originOf(request), Clock.currentTimeMillis, (start, now_ms): FileLinks => {
      const expires = String(Math.floor(now_ms / 1000) + lifetime_s)
      return {
        upload: (uploadId) => `${start}${uploadPath(uploadId)}?token=${tokens.of(uploadPath(uploadId))}`,
        file: (workspaceId, path, as) => {
          const token = tokens.of(downloadOf(workspaceId, { path, expires, as }))
          return `${start}${filePath(workspaceId)}?${new URLSearchParams({ path, expires, as, token }).toString()}`
        }
      }
    })
)
