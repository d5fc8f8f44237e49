import type { Suite } from "@webagent/scenario"

/** The built-in suites by name, in the order in which they run; each is loaded when it is asked for. */
export const builtIn: Readonly<Record<string, () => Promise<{ readonly default: Suite.Suite }>>> = {
  "v4-browsers": () => import("./v4-browsers.ts")
}
