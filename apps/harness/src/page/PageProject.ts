import type { Project } from "@webagent/harness-api"

/** The project of a page about one run or one history. It has no actions and no folders. */
export const of = (
  tool: Project["tool"],
  { commands, exportedAt }: Pick<Project, "commands"> & { readonly exportedAt: string }
): Project => ({
  tool: { name: tool.name, version: tool.version },
  folder: "",
  config: null,
  runs: "",
  history: "",
  quarantine: "",
  commands,
  baseline: null,
  targets: [],
  maxCost_usd: null,
  can: { run: false, change: false, pay: false },
  problems: [],
  exportedAt
})
