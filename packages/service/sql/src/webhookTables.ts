import type { ColumnTypes } from "./ColumnTypes.ts"

/** The tables of webhooks. `busy_until_ms` was the lease of a webhook; now each message has its own, `next_at_ms`. */
export const webhookTables = ({ id, integer, serial, strict }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE webhooks (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    owner ${id},
    active INTEGER NOT NULL,
    busy_until_ms ${integer} NOT NULL DEFAULT 0,
    taken_at_ms ${integer} NOT NULL DEFAULT 0,
    record TEXT NOT NULL
  )${strict}`,
  `CREATE INDEX webhooks_owned ON webhooks (owner, n)`,
  `CREATE TABLE webhook_deliveries (
    n ${serial},
    id ${id} NOT NULL UNIQUE,
    hook ${id} NOT NULL,
    owner ${id},
    subject ${id} NOT NULL,
    once ${id},
    attempts INTEGER NOT NULL,
    next_at_ms ${integer},
    finished_at_ms ${integer},
    record TEXT NOT NULL
  )${strict}`,
  `CREATE INDEX webhook_deliveries_of ON webhook_deliveries (hook, n)`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (hook, next_at_ms) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX webhook_deliveries_order ON webhook_deliveries (hook, subject, n) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (owner) WHERE finished_at_ms IS NULL`,
  `CREATE INDEX webhook_deliveries_over ON webhook_deliveries (finished_at_ms) WHERE finished_at_ms IS NOT NULL`,
  `CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (hook, once) WHERE once IS NOT NULL`,
  `CREATE TABLE webhook_position (cursor ${integer} NOT NULL)${strict}`,
  `INSERT INTO webhook_position VALUES (0)`
]
