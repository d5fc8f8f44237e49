import { exportElement } from "@webagent/harness-api"
import type { PackedData } from "@webagent/harness-api/Embedded"
import { readFileSync } from "node:fs"

/** Reads the data of a page that is one file. */
export const dataIn = (path: string): PackedData => {
  const [, data = ""] = new RegExp(`id="${exportElement}">(.*?)</script>`, "u").exec(readFileSync(path, "utf8")) ?? []
  return JSON.parse(data) as PackedData
}

/** Reads the run of a page that a run has written. */
export const runIn = (path: string) => {
  const [run] = dataIn(path).details
  if (run === undefined) throw new Error(`${path} has no run`)
  return run
}
