const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`
const pattern = new RegExp(String.raw`^(?:localhost|127(?:\.${octet}){3}|::1|\[::1\])$`, "iu")

/**
 * Whether a host is this machine only: `localhost`, 127.0.0.0/8 or `::1`, also in brackets as a URL has it. Without a
 * single import, so that load scripts can have it too.
 */
export const isLoopback = (host: string): boolean => pattern.test(host)
