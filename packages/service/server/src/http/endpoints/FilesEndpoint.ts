import { Workspaces } from "@webagent/engine"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as FileLinks from "../../api/FileLinks.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import { ServerApi } from "./ServerApi.ts"

const noUpload = ErrorResponse.make(404, "No upload is expected here: ask for a new uploadUrl")
const noFile = ErrorResponse.make(404, "File not found")

const tooLarge = (maxBytes: number) => ErrorResponse.make(413, `The file has more than ${maxBytes} bytes`)

/** Reads a body of at most this many bytes; undefined if it is larger or can't be read. */
const bytesOf = (request: HttpServerRequest.HttpServerRequest, maxBytes: number) =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBytes)),
    Effect.map((buffer) => new Uint8Array(buffer)),
    Effect.orElseSucceed(() => undefined)
  )

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The targets of links to files: uploads and downloads. They take a token and no key, like presigned links. */
export const layer = HttpApiBuilder.group(
  ServerApi,
  "files",
  Effect.fnUntraced(function* (handlers) {
    const workspaces = yield* Workspaces
    const tokens = yield* LinkTokens

    const upload = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.gen(function* () {
        const { upload_id: id = "" } = yield* HttpRouter.params
        const { token } = yield* HttpServerRequest.ParsedSearchParams
        if (workspaces === null || !tokens.opens(FileLinks.uploadPath(id), token)) return noUpload
        const { maxBytes, size } = yield* workspaces.expected(id)
        if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge(maxBytes)
        const bytes = yield* bytesOf(request, maxBytes)
        if (bytes === undefined) return tooLarge(maxBytes)
        if (size !== null && bytes.length !== size) {
          return ErrorResponse.make(400, `The upload was to have ${size} bytes and has ${bytes.length}`)
        }
        yield* workspaces.write(id, bytes)
        return HttpServerResponse.empty({ status: 200 })
      }).pipe(
        Effect.catchTags({
          UploadNotFound: () => Effect.succeed(noUpload),
          NoRoom: ({ message }) => Effect.succeed(ErrorResponse.make(413, message))
        })
      )

    const download = Effect.gen(function* () {
      const { workspace_id = "" } = yield* HttpRouter.params
      const id = workspace_id.toLowerCase()
      const query = yield* HttpServerRequest.ParsedSearchParams
      const link = { path: text(query["path"]), expires: text(query["expires"]), as: text(query["as"]) }
      const now_ms = yield* Clock.currentTimeMillis
      if (workspaces === null || !FileLinks.opensFile(tokens, id, { ...link, token: query["token"] }, now_ms)) {
        return noFile
      }
      const { bytes, contentType } = yield* workspaces.read(id, link.path)
      return HttpServerResponse.uint8Array(bytes, {
        contentType,
        headers: {
          "content-disposition": link.as,
          // the file is of a caller: it gets no origin, and runs and loads nothing
          "content-security-policy": "sandbox; default-src 'none'",
          "x-content-type-options": "nosniff",
          // the link is the secret
          "cache-control": "private, no-store",
          "referrer-policy": "no-referrer"
        }
      })
    }).pipe(
      Effect.catchTags({
        FileNotFound: () => Effect.succeed(noFile),
        WorkspaceNotFound: () => Effect.succeed(noFile)
      })
    )

    return handlers.handleAll({ upload: ({ request }) => upload(request), download: () => download })
  })
)
