import { Workspaces, type WorkspacesService } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as LazyGroup from "../../api/LazyGroup.ts"
import * as FileLinks from "../../api/FileLinks.ts"
import { LinkOwners } from "../../api/LinkOwners.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import { ServerApi } from "./ServerApi.ts"

const noUpload = ErrorResponse.make(404, "No upload is expected here: ask for a new uploadUrl")
const noFile = ErrorResponse.make(404, "File not found")

const revoked = ErrorResponse.make(403, "The API key of these files was revoked")

const tooLarge = (maxBytes: number) => ErrorResponse.make(413, `The file has more than ${maxBytes} bytes`)

const cut = ErrorResponse.make(400, "The upload was cut off. Send it again")

/** The number of bytes that a request announces; null if it doesn't. */
const sizeOf = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["content-length"] === undefined ? null : Number(headers["content-length"])

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** The targets of links to files: uploads and downloads. They take a token and no key, like presigned links. */
export const layer = LazyGroup.make(ServerApi, "files", function* (handlers) {
  const workspaces = yield* Workspaces
  const tokens = yield* LinkTokens
  const owners = yield* LinkOwners

  /** True if the owner of a workspace or of an upload still has a key. Of what isn't there, the operation tells. */
  const mayOpen = (files: WorkspacesService, id: string) =>
    Effect.flatMap(files.ownerOf(id), (owner) => owners.mayOpen(owner ?? null))

  const upload = (request: HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function* () {
      const { upload_id: id = "" } = yield* HttpRouter.params
      const { token } = yield* HttpServerRequest.ParsedSearchParams
      if (workspaces === null || !tokens.opens(FileLinks.uploadPath(id), token)) return noUpload
      if (!(yield* mayOpen(workspaces, id))) return revoked
      yield* workspaces.write(id, request.stream, sizeOf(request))
      return HttpServerResponse.empty({ status: 200 })
    }).pipe(
      Effect.catchTags({
        UploadNotFound: () => Effect.succeed(noUpload),
        NoRoom: ({ message }) => Effect.succeed(ErrorResponse.make(413, message)),
        WrongSize: ({ expected, received }) =>
          Effect.succeed(
            received > expected
              ? tooLarge(expected)
              : ErrorResponse.make(400, `The upload was to have ${expected} bytes and has ${received}`)
          ),
        HttpServerError: () => Effect.succeed(cut)
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
    if (!(yield* mayOpen(workspaces, id))) return revoked
    const { bytes, contentType, size } = yield* workspaces.read(id, link.path)
    return HttpServerResponse.stream(bytes, {
      contentType,
      contentLength: size,
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
