import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

/** Paths of a server that people copy with its address. */
const pathOfPart = /\/+(?:(?:api\/v\d|admin\/v1|console)\/*)?$/u

/** The address of a server without the path of an API or of the console. */
export const asServerAddress = (flag: Flag.Flag<string>) =>
  flag.pipe(
    Flag.filterMap(
      (text) => {
        const url = URL.parse(text)
        // fetch refuses an address with a name or a password
        if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== "" || url.password !== "") {
          return Option.none()
        }
        return Option.some(`${url.origin}${url.pathname}`.replace(pathOfPart, ""))
      },
      () => "an address such as http://127.0.0.1:8080"
    )
  )
