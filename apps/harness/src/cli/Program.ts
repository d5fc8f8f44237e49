import * as Program from "@webagent/cli/Program"

/** The version that `--version`, the console and the reports show. */
export const version = "0.0.0"

/** The program as a user calls it on the command line. */
export const program = Program.here("webagent-harness", import.meta.url)

export { quoted } from "@webagent/cli/Program"
