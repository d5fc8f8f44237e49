import type { CdpError } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as DevTools from "../cdp/DevTools.ts"
import type { ProfileContent } from "./ProfileFiles.ts"

type Cookies = ProfileContent["cookies"]

/** Time limit for a browser to respond. */
const timeout = "5 seconds"

/** Reads all cookies of a browser, including those of its session. */
export const readCookies = (devTools: DevTools.DevTools): Effect.Effect<Cookies, CdpError> =>
  Effect.scoped(
    Effect.flatMap(DevTools.connect(devTools, { timeout }), (client) =>
      Effect.map(client.send("Storage.getCookies"), ({ cookies }) => cookies as Cookies)
    )
  )

/** Sets cookies. A browser takes all cookies of a command or none, so bad ones are sorted out; returns their number. */
export const setCookies = (devTools: DevTools.DevTools, cookies: Cookies): Effect.Effect<number, CdpError> =>
  Effect.scoped(
    Effect.flatMap(DevTools.connect(devTools, { timeout }), (client) => {
      const set = (some: Cookies) => client.send("Storage.setCookies", { cookies: some })
      const one = (cookie: Cookies[number]) =>
        set([cookie]).pipe(
          Effect.as(0),
          Effect.orElseSucceed(() => 1)
        )
      return set(cookies).pipe(
        Effect.as(0),
        Effect.catch(() =>
          Effect.map(Effect.forEach(cookies, one), (bad) => bad.reduce<number>((sum, count) => sum + count, 0))
        )
      )
    })
  )

/** Closes a browser, so that it writes its storage to disk. Its exit ends the connection, so any response will do. */
export const close = (devTools: DevTools.DevTools): Effect.Effect<void> =>
  Effect.ignore(
    Effect.scoped(Effect.flatMap(DevTools.connect(devTools, { timeout }), (client) => client.send("Browser.close")))
  )
