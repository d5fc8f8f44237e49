import * as McpProtocol from "effect/ai/McpProtocol"

/** Description of the server for clients, and the protocol versions that it supports. */
export const about = (version: string) =>
  ({
    name: "webagent",
    version,
    instructions:
      "Runs tasks in a web browser. run_task waits for the result; a run that takes longer continues, and get_run waits for it. " +
      "Use follow_up to continue in the same browser.",
    protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26]
  }) as const
