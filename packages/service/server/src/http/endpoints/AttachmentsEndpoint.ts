import { Engine, type StoreUnavailable, Workspaces, type WorkspacesService } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type * as Fflate from "fflate"
import * as LazyGroup from "../../api/LazyGroup.ts"
import * as ErrorResponse from "../policy/ErrorResponse.ts"
import { ServerApi } from "./ServerApi.ts"

interface Entry {
  readonly name: string
  readonly bytes: Stream.Stream<Uint8Array, StoreUnavailable>
}

/** Packs files into a ZIP archive, uncompressed, as they are read. */
const archive = (
  { Zip, ZipPassThrough }: Pick<typeof Fflate, "Zip" | "ZipPassThrough">,
  entries: ReadonlyArray<Entry>
): Stream.Stream<Uint8Array, StoreUnavailable> =>
  Stream.suspend(() => {
    let ready: Array<Uint8Array> = []
    const zip = new Zip((error, bytes) => {
      // this can't fail: nothing is compressed, and the names are short
      if (error !== null) throw error
      ready.push(bytes)
    })
    const after = (step: () => void) => {
      step()
      const bytes = Buffer.concat(ready)
      ready = []
      return bytes
    }
    const packed = entries.map(({ bytes, name }) =>
      Stream.suspend(() => {
        const file = new ZipPassThrough(name)
        const start = Stream.sync(() => after(() => zip.add(file)))
        const content = Stream.map(bytes, (chunk) => after(() => file.push(chunk)))
        const end = Stream.sync(() => after(() => file.push(new Uint8Array(), true)))
        return Stream.concat(start, Stream.concat(content, end))
      })
    )
    const end = Stream.sync(() => after(() => zip.end()))
    return Stream.flatten(Stream.fromIterable([...packed, end]))
  })

/** The files of a run. One that is deleted before it is read is empty. */
const entriesOf = (workspaces: WorkspacesService, runId: string) =>
  Effect.map(workspaces.attachments(runId), (files) =>
    files.map(({ path }): Entry => {
      const content = Effect.map(workspaces.read(runId, path), ({ bytes }) => bytes)
      const none = () => Effect.succeed(Stream.empty)
      return {
        name: path,
        bytes: Stream.unwrap(Effect.catchTags(content, { FileNotFound: none, WorkspaceNotFound: none }))
      }
    })
  )

/** All files that a run downloaded, as one archive. A key that may read a run may read them. */
export const layer = LazyGroup.make(ServerApi, "attachments", function* (handlers) {
  const engine = yield* Engine
  const workspaces = yield* Workspaces
  const notFound = () => Effect.succeed(ErrorResponse.make(404, "Run not found"))

  return handlers.handle("zip", () =>
    Effect.gen(function* () {
      const { run_id = "" } = yield* HttpRouter.params
      const { id } = yield* engine.turn(run_id.toLowerCase())
      const fflate = yield* Effect.promise(() => import("fflate"))
      const entries = workspaces === null ? [] : yield* entriesOf(workspaces, id)
      return HttpServerResponse.stream(archive(fflate, entries), {
        contentType: "application/zip",
        headers: { "content-disposition": `attachment; filename="${id}.zip"`, "cache-control": "private, no-store" }
      })
    }).pipe(Effect.catchTags({ TurnNotFound: notFound }))
  )
})
