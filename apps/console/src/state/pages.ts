import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Console } from "./client.ts"
import { epoch } from "./live.ts"

/** A page of a list. */
interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | null
}

type Client = Effect.Success<typeof Console>

/** A list as an atom of its pages; write to it to read the next one. An element is a page, so an empty list has one. */
export const pagesOf = <Row, E>(
  read: (client: Client, at: { readonly cursor?: string }) => Effect.Effect<Page<Row>, E>
) =>
  Console.runtime.pull((get) => {
    get(epoch)
    return Stream.paginate(Option.none<string>(), (cursor) =>
      Effect.gen(function* () {
        const client = yield* Console
        const { next, rows } = yield* read(client, Option.isSome(cursor) ? { cursor: cursor.value } : {})
        return [[rows], Option.map(Option.fromNullishOr(next), Option.some)] as const
      })
    )
  })
