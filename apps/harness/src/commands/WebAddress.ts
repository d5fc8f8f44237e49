/** Whether a text is an address that load can go to; `localhost:4400` is none, it lacks its `http://`. */
export const isWebAddress = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? "")
