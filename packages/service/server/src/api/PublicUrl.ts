import * as Option from "effect/Option"

/** Parses the public URL of a server: http or https, with or without a path. */
export const publicUrlOf = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/u.test(url.protocol)) return Option.none()
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return Option.none()
  return Option.some(`${url.origin}${url.pathname.replace(/\/+$/u, "")}`)
}
