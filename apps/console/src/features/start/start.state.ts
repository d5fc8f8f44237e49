import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { Console, pathOf } from "../../state/client.ts"
import { emptyForm, type FormTexts } from "./form.ts"

/** The form of a run that isn't started: it stays when a person looks at another screen. */
export const draft: Atom.Writable<FormTexts> = Atom.make(emptyForm).pipe(Atom.keepAlive)

/** The browser profiles that a run can use. */
export const profileList = Console.query("profiles", "list", { query: {}, timeToLive: "1 minute" })

/** A file that was uploaded for the run. */
export interface UploadedFile {
  readonly id: string
  readonly name: string
  readonly size: number
}

class UploadFailed extends Data.TaggedError("UploadFailed")<{ readonly detail: string }> {}

/** Uploads files for the run. Fails unless all of them are stored. */
export const uploadFiles = Console.runtime.fn((files: ReadonlyArray<File>) =>
  Effect.gen(function* () {
    const client = yield* Console
    const wanted = files.map(({ name, size, type }) => ({
      name,
      size,
      contentType: type === "" ? "application/octet-stream" : type
    }))
    const expected = yield* client.files.upload({ payload: { files: wanted } })
    return yield* Effect.forEach(files, (file, index) =>
      Effect.gen(function* () {
        const { id = "", uploadUrl = "" } = expected[index] ?? {}
        const { ok, status } = yield* Effect.tryPromise((signal) =>
          fetch(pathOf(uploadUrl) ?? "", { method: "PUT", body: file, signal })
        )
        if (!ok) return yield* new UploadFailed({ detail: `The server refused ${file.name} with status ${status}` })
        return { id, name: file.name, size: file.size } satisfies UploadedFile
      })
    )
  })
)
