/** True if what is typed here would cross a network without encryption, as on a page of another machine over plain HTTP. */
export const isPlainHttp = ({ hostname, protocol }: Pick<Location, "hostname" | "protocol">): boolean =>
  protocol === "http:" && !/^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname)
