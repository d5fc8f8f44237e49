/** Path of the admin API below the address of a server. */
export const adminPath = "/admin/v1"

/** Path of the web console below the address of a server. */
export const consolePath = "/console"

/** Path of the console's API: the operations of the admin API with a session cookie in place of a key. */
export const consoleApiPath = "/console/api"

/** Path of the console's WebSocket. */
export const consoleSocketPath = "/console/api/socket"

/**
 * A header of requests that a page sends by itself, a minute and more after the last key or click. They don't count as use of
 * the session, so an unattended page signs out when the session is idle for too long.
 */
export const consoleIdleHeader = "x-console-idle"

/** Largest page of a list, and the size of a page that names none. */
export const pageSize = { most: 100, default: 50 } as const

/** Maximum number of ids in a request that changes many records. */
export const mostIds = 500
