import * as Program from "@webagent/simulation/Program"

/** This program as a user calls it on the command line. */
export const program = Program.here("webagent-server", import.meta.url)
