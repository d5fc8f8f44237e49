/**
 * Files: upload a price list, give it to a run, and read what the run downloaded.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 36_files
 */
import { Runs, V4 } from "@webagent/v4"
import { Workspaces } from "@webagent/v4/account"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const program = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  const runs = yield* Runs
  const { id } = yield* workspaces.create({ name: "Prices" })
  const prices = { name: "prices.csv", content: "mug,12\n", contentType: "text/csv" }
  const uploaded = yield* workspaces.upload(id, [prices])
  const run = yield* runs.createAndWait({
    task: "Send the price list to the supplier, and download the receipt",
    attachedFileIds: uploaded.flatMap((file) => file.id ?? [])
  })
  const downloads = yield* runs.attachments(run.id)
  return { attached: run.attachedFileIds, uploaded, downloads: downloads.map(({ name }) => name) }
})

export const layer = Layer.provideMerge(Workspaces.layer, V4.layer())
