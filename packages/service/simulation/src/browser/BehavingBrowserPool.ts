import { type Browser, BrowserPlaces, BrowserPool, type LaunchedBrowser, type LaunchWait } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Behavior } from "../behavior/Behavior.ts"
import * as Distribution from "../behavior/Distribution.ts"
import * as ResumedBrowser from "./ResumedBrowser.ts"
import * as SimulatedBrowserPool from "./SimulatedBrowserPool.ts"

/** The CDP connections of the browsers that run. */
export class BrowserConnections extends Context.Service<
  BrowserConnections,
  {
    /** Cuts every connection of a browser, as a network would; false when no browser with this id runs. */
    readonly drop: (id: string) => Effect.Effect<boolean>
  }
>()("@webagent/simulation/BrowserConnections") {}

const make = (limits: BrowserPlaces.PlacesOptions | undefined) =>
  Effect.gen(function* () {
    const behavior = yield* Behavior
    const places = limits === undefined ? undefined : yield* BrowserPlaces.make(limits)
    /** Effects that cut the connections of each browser; a starting browser has none. */
    const running = new Map<string, Effect.Effect<void>>()

    const dropping = (id: string, launched: SimulatedBrowserPool.SimulatedBrowser) => {
      let connections = 0
      return (connect: LaunchedBrowser["connect"]): LaunchedBrowser["connect"] =>
        Effect.tap(connect, () => {
          const { dropAfter } = behavior.profile().browser
          if (dropAfter === undefined) return Effect.void
          const wait_ms = Distribution.draw_ms(dropAfter, behavior.seed(), id, "drop", ++connections)
          return Effect.forkScoped(Effect.andThen(Effect.sleep(wait_ms), launched.drop))
        })
    }

    const start = Effect.fnUntraced(function* ({ id, owner, profile }: Browser.Browser) {
      const { start } = behavior.profile().browser
      const wait_ms = start === undefined ? 0 : Distribution.draw_ms(start, behavior.seed(), id, "start")
      running.set(id, Effect.void)
      if (wait_ms > 0) {
        yield* Effect.onInterrupt(behavior.sleep(wait_ms), () => Effect.sync(() => running.delete(id)))
      }
      const launched = SimulatedBrowserPool.start(id)
      running.set(id, launched.drop)
      const forget = Effect.sync(() => {
        if (running.get(id) !== launched.drop) return
        running.delete(id)
        places?.release(owner)
      })
      const dropped = dropping(id, launched)
      return {
        connect: dropped(launched.connect),
        connectPage: (page: string) => dropped(launched.connectPage(page)),
        stop: Effect.andThen(launched.stop, forget),
        ...(profile?.mode === "write" ? { save: Effect.void } : {})
      }
    })

    const launch = (browser: Browser.Browser, wait?: LaunchWait) =>
      Effect.uninterruptibleMask((restore) => {
        const taken = places?.take(browser, wait, restore) ?? Effect.void
        const release = Effect.sync(() => places?.release(browser.owner))
        return Effect.andThen(
          taken,
          Effect.onError(restore(start(browser)), () => release)
        )
      })
    const resume = (browser: Browser.Browser) =>
      Effect.suspend(() => {
        places?.keep(browser.owner)
        return ResumedBrowser.make(start(browser))
      })
    const limited = places === undefined ? {} : { room: places.room, queueTimeout_ms: places.queueTimeout_ms }
    // a simulated browser has no cookies, so it only pretends to use its profile
    return Context.make(BrowserPool, { launch, resume, usesProfiles: true, ...limited }).pipe(
      Context.add(BrowserConnections, {
        drop: (id) => {
          const drop = running.get(id)
          return drop === undefined ? Effect.succeed(false) : Effect.as(drop, true)
        }
      })
    )
  })

/**
 * Simulated browsers that take as long to start as the profile in force says, and whose connections are cut after a
 * while if it says so: the time is drawn anew for every connection, and cuts every other one of its browser too.
 *
 * @param limits the number of browsers and the queue for them; no limit unless given
 */
export const layerOf = (
  limits?: BrowserPlaces.PlacesOptions
): Layer.Layer<BrowserPool | BrowserConnections, never, Behavior> => Layer.effectContext(make(limits))

/** Any number of simulated browsers. */
export const layer = layerOf()
