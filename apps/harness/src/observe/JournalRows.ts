import type { FaultEntry, JournalEntry, RequestEntry } from "@webagent/control"

/**
 * The mark in the `User-Agent` of a trial's requests, which distinguishes their rows in the server's journal from
 * others.
 */
export const markOf = (run: string, serial: number): string => `trial/${run}.${serial}`

const mark = /(?:^| )(trial\/\S+)$/u

/** Maximum number of unread rows, because rows of other users of the service are never read. */
const capacity = 100_000

const identityOf = ({ attempt, create, operation, resource }: typeof RequestEntry.Type | typeof FaultEntry.Type) =>
  JSON.stringify([operation, resource, create, attempt])

const namesOf = (row: JournalEntry): ReadonlyArray<string> => {
  switch (row.type) {
    case "request": {
      const carried = mark.exec(row.userAgent ?? "")?.[1]
      return carried === undefined ? [] : [carried]
    }
    case "fault":
      return [identityOf(row)]
    case "move":
      return row.sessionId === null ? [row.id] : [row.id, row.sessionId]
    case "connection":
      return [row.browserId]
    case "control":
      return row.detail === null ? [] : [row.detail]
  }
}

/** Sorts the rows of a server's journal by the trials that they are about. */
export class JournalRows {
  private readonly pages = new Map<string, Array<JournalEntry>>()
  private rows = 0

  /** Takes in what was written. */
  add(rows: Iterable<JournalEntry>): void {
    for (const row of rows) {
      for (const name of namesOf(row)) {
        const page = this.pages.get(name)
        if (page === undefined) this.pages.set(name, [row])
        else page.push(row)
        this.rows++
      }
    }
    for (const [name, page] of this.pages) {
      if (this.rows <= capacity) return
      this.forget(name, page)
    }
  }

  /** Number of finished requests with a mark. */
  requests(mark: string): number {
    return this.pages.get(mark)?.length ?? 0
  }

  /** The rows about a trial's requests and about what they made, in order; they are kept no longer. */
  take(mark: string): ReadonlyArray<JournalEntry> {
    const taken = new Set<JournalEntry>()
    const ids = new Set<string>()
    const open = (name: string) => {
      const page = this.pages.get(name)
      if (page === undefined) return
      this.forget(name, page)
      for (const row of page) {
        taken.add(row)
        if (row.type === "request") {
          if (row.made !== null) ids.add(row.made)
          if (row.fault !== null) ids.add(identityOf(row))
        } else if (row.type === "move" && row.sessionId !== null) {
          ids.add(row.sessionId)
        }
      }
    }
    open(mark)
    // a set shows what is added to it while it is gone through
    for (const id of ids) open(id)
    return Array.from(taken).toSorted((a, b) => a.seq - b.seq)
  }

  private forget(name: string, page: ReadonlyArray<JournalEntry>): void {
    this.pages.delete(name)
    this.rows -= page.length
  }
}
