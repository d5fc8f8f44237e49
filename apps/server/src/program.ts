import * as Program from "@webagent/simulation/Program"

/** How a person calls this program. */
export const program = Program.here("webagent-server", import.meta.url)
