import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Console } from "./client.ts"
import { epoch } from "./live.ts"

/** A page of a list. */
export interface Page<Row> {
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
        const page = yield* read(client, Option.isSome(cursor) ? { cursor: cursor.value } : {})
        return [[page], Option.map(Option.fromNullishOr(page.next), Option.some)] as const
      })
    )
  })

/** Returns the rows of the pages that were read. */
export const rowsOf = <Row>(pages: ReadonlyArray<Page<Row>>): ReadonlyArray<Row> => pages.flatMap(({ rows }) => rows)

/** Returns whether the last page was read. The atom of a list knows it only after it was asked for one more. */
export const isWhole = (pages: ReadonlyArray<Page<unknown>>): boolean => pages.at(-1)?.next === null
