const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`
const pattern = new RegExp(String.raw`^(?:localhost|127(?:\.${octet}){3}|::1|\[::1\])$`, "iu")

/**
 * Returns whether a host is this machine: `localhost`, 127.0.0.0/8 or `::1`, including in brackets as in a URL. Has no
 * imports, so that load scripts can use it.
 */
export const isLoopback = (host: string): boolean => pattern.test(host)
