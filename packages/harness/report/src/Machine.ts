import * as Schema from "effect/Schema"

/** The machine that ran the scenarios: durations of another one are no baseline. */
export const Machine = Schema.Struct({
  cpu: Schema.String,
  cores: Schema.Int,
  platform: Schema.String,
  /** Node's major version. */
  node: Schema.String
})
export type Machine = typeof Machine.Type

/** This machine. */
export const here = (): Machine => {
  // an import would keep browsers from reading reports
  const { arch, cpus, platform } = process.getBuiltinModule("node:os")
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    platform: `${platform()}-${arch()}`,
    node: process.versions.node.split(".")[0] ?? ""
  }
}
