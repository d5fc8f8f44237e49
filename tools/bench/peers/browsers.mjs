/** What the hand-written servers keep of browsers, which are only rows. */
import { randomUUID } from "node:crypto"

/** An open browser ends by being stopped, and by nothing else. */
export const makeBrowsers = (port) => {
  const browsers = new Map()
  return {
    create: (proxyCountryCode) => {
      const id = randomUUID()
      const browser = {
        id,
        cdpUrl: `ws://127.0.0.1:${port}/cdp/${id}`,
        status: "active",
        liveUrl: null,
        recordingUrl: null,
        proxyCountryCode,
        startedAt: new Date().toISOString(),
        finishedAt: null,
        timeoutAt: null
      }
      browsers.set(id, browser)
      return browser
    },
    stop: (id) => {
      const browser = browsers.get(id)
      if (browser === undefined) return undefined
      if (browser.finishedAt === null) {
        browser.status = "stopped"
        browser.finishedAt = new Date().toISOString()
      }
      return browser
    }
  }
}
