import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { unknown } from "./unknown.ts"

/** The text of every download. */
export const downloaded = "1,2"

/** Files of runs. */
export const files = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "files", (handlers) => {
    const filesOf = (id: string) => {
      const run = world.runs.get(id)
      return run === undefined ? Effect.fail(unknown(`run ${id}`)) : Effect.succeed(world.attachmentsOf(run))
    }
    return handlers.handleAll({
      attachments: ({ params }) => filesOf(params.run_id),
      attachment: ({ params }) =>
        Effect.map(filesOf(params.run_id), (files) => {
          const name = files.find(({ id }) => id === params.attachment_id)?.name ?? ""
          return HttpServerResponse.text(downloaded, {
            headers: { "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}` }
          })
        }),
      upload: ({ payload }) =>
        Effect.sync(() =>
          payload.files.map(({ name }) => {
            const id = `upload-${world.uploads.size + 1}`
            world.uploads.set(id, { name, bytes: null })
            return { id, name, uploadUrl: `http://public.example/uploads/${id}?token=t` }
          })
        )
    })
  })
