/** Version of this package, as the User-Agent says it. */
export const version = "0.0.0"
