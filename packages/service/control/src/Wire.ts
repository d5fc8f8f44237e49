/** The header that carries the control key; it is not the API key of the service. */
export const controlKeyHeader = "X-Control-Key"

/** Path of the control API below the address of its own port. */
export const controlPath = "/control/v1"

/** Path of the same operations for the console's pages, at the address of the service. */
export const consoleControlPath = "/console/api/simulation"
