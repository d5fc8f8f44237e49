/** The module that holds the bundled script. */
export const file: string

/** What that module should be. */
export const bundled: () => Promise<string>
