import * as Program from "@webagent/cli/Program"

/** This program as a user calls it on the command line. */
export const program = Program.here("webagent-server", import.meta.url)
