import * as Schema from "effect/Schema"
import { arch, cpus, platform } from "node:os"

/** The machine that made a load and, mostly, carried it: figures of another one are no baseline. */
export const Fingerprint = Schema.Struct({
  cpu: Schema.String,
  cores: Schema.Number,
  platform: Schema.String,
  node: Schema.String,
  k6: Schema.String
})
export type Fingerprint = typeof Fingerprint.Type

/** That of this machine; of Node only the major version counts. */
export const here = (k6: string): Fingerprint => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  platform: `${platform()}-${arch()}`,
  node: process.versions.node.split(".")[0] ?? "",
  k6
})

/** In what two machines differ, by the names of the fields. */
export const differences = (one: Fingerprint, other: Fingerprint): ReadonlyArray<string> =>
  (["cpu", "cores", "platform", "node", "k6"] as const).filter((field) => one[field] !== other[field])
