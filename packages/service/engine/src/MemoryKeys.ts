import { type IdempotencyRecord, lifetime_ms } from "./domain/IdempotencyRecord.ts"

/** Idempotency records in memory, the oldest first. */
export const make = (stored: ReadonlyArray<IdempotencyRecord> = []) => {
  const records = new Map<string, IdempotencyRecord>()
  /** The key of the record with another digest. */
  const keys = new Map<string, string>()

  const get = (digest: string) => records.get(digest) ?? records.get(keys.get(digest) ?? "")

  const remove = (key: string) => {
    const also = records.get(key)?.also
    if (also !== undefined) keys.delete(also)
    records.delete(key)
  }

  const add = (record: IdempotencyRecord) => {
    records.set(record.key, record)
    if (record.also !== undefined) keys.set(record.also, record.key)
  }

  const forget = (until_ms: number, limit = Infinity): number => {
    let forgotten = 0
    for (const { createdAt_ms, key } of records.values()) {
      if (createdAt_ms > until_ms || forgotten === limit) break
      remove(key)
      forgotten++
    }
    return forgotten
  }

  stored.forEach(add)
  return {
    /** Returns the record with a digest. */
    get,
    // a key that is used again counts from then on, so the oldest record stays in front
    put: (record: IdempotencyRecord) => {
      forget(record.createdAt_ms - lifetime_ms)
      remove(record.key)
      add(record)
    },
    remove,
    forget,
    all: () => [...records.values()]
  }
}
