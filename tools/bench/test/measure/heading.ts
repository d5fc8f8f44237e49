import type { Heading } from "../../src/measure/Report.ts"

/** What a report begins with, on a machine that there is not. */
export const heading: Heading = {
  date: "2026-01-01",
  fingerprint: {
    cpu: "a processor",
    cores: 2,
    memory_GB: 8,
    node: "24.0.0",
    platform: "linux-x64",
    loadBefore: 0.1,
    loadAfter: 1.9
  }
}
