import type { Suite } from "@webagent/scenario"

/**
 * The built-in suites by name, in the order in which they are reported; each is loaded when it is asked for. All of
 * `versions`, `json-responses`, `not-found` and `validation` needs nothing but a key and makes nothing that costs.
 */
export const builtIn: Readonly<Record<string, () => Promise<{ readonly default: Suite.Suite }>>> = {
  "v2-sessions": () => import("./v2-sessions.ts"),
  "v3-sessions": () => import("./v3-sessions.ts"),
  "v4-runs": () => import("./v4-runs.ts"),
  "v4-browsers": () => import("./v4-browsers.ts"),
  authentication: () => import("./authentication.ts"),
  versions: () => import("./versions.ts"),
  "json-responses": () => import("./json-responses.ts"),
  "not-found": () => import("./not-found.ts"),
  validation: () => import("./validation.ts"),
  "error-responses": () => import("./error-responses.ts"),
  "cross-version": () => import("./cross-version.ts"),
  extensions: () => import("./extensions.ts"),
  control: () => import("./control.ts")
}
