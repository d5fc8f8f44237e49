import type * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import { programOf, serverInfo } from "../../state/client.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Section } from "../../ui/Page.tsx"
import { type Column, Table } from "../../ui/Table.tsx"

interface OwnedTableProps<Row> {
  /** Noun for the records, such as `webhooks`. */
  readonly what: string
  readonly title: string
  readonly of: Atom.Atom<AsyncResult.AsyncResult<ReadonlyArray<Row>, unknown>>
  /** The arguments of the program that create one. */
  readonly command: string
  /** The key that a record belongs to. */
  readonly ownerOf: (row: Row) => string
  /** The column that names a row comes first. */
  readonly columns: readonly [Column<Row>, ...ReadonlyArray<Column<Row>>]
}

/** A section of the settings with records that belong to keys, which a command and the admin API change. */
export const OwnedTable = <Row extends { readonly id: string }>({
  columns: [first, ...columns],
  command,
  of,
  ownerOf,
  title,
  what
}: OwnedTableProps<Row>) => {
  const program = programOf(valueOf(useAtomValue(serverInfo)))
  return (
    <Section title={title}>
      <Answer of={useAtomValue(of)} what={what} onRetry={() => registry.refresh(of)}>
        {(rows) =>
          rows.length === 0 ? (
            <p>
              No {what} yet. Create one with the admin API, or with{" "}
              <code>
                {program} {command} --server {location.origin}
              </code>
              .
            </p>
          ) : (
            <Table
              label={title}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[first, { name: "Key", isExtra: true, cell: ownerOf }, ...columns]}
            />
          )
        }
      </Answer>
    </Section>
  )
}
