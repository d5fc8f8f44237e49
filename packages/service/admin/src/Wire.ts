/** Path of the admin API below the address of a server. */
export const adminPath = "/admin/v1"

/** Path of the web console below the address of a server. */
export const consolePath = "/console"

/** Largest page of a list, and the size of a page that names none. */
export const pageSize = { most: 100, default: 50 } as const

/** Maximum number of ids in a request that changes many records. */
export const mostIds = 500
