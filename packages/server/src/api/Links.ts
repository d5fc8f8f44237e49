/** Where the recording of a session is to be downloaded; `origin` is scheme, host and port. */
export const recordingUrl = (origin: string, sessionId: string): string => `${origin}${recordingPath(sessionId)}`

/** The path of a session's recording, also as a route with `:session_id`. */
export const recordingPath = <const Id extends string>(sessionId: Id) => `/recordings/${sessionId}` as const
