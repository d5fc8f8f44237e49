/** Path of the pages of `webagent-harness ui` below its address. */
export const uiPath = "/ui"

/** Path of its API. */
export const uiApiPath = "/ui/api"

/** Path of its WebSocket. */
export const uiSocketPath = `${uiApiPath}/socket`

/** The header that carries the token of the printed address, for clients that are no browser. */
export const tokenHeader = "x-webagent-token"

/** The name of the token in the fragment of the printed address: `http://127.0.0.1:4500/ui/#token=...`. */
export const tokenParameter = "token"

/** The id of the element that holds the data of an exported page. */
export const exportElement = "webagent-export"

/** Largest page of a list, and the size of a page that names none. */
export const pageSize = { most: 200, default: 50 } as const

/** The path of a file of a run, for a link or a download. */
export const runFilePath = (run: string, file: string): string =>
  `${uiApiPath}/runs/${encodeURIComponent(run)}/files/${encodeURIComponent(file)}`
