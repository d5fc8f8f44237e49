/**
 * Uses a hosted browser with promises, and stops it at the end of the block.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 31_promises-browser
 */
import type { WebAgent } from "@webagent/v4/promise"

/** You can use any CDP library instead, such as Playwright's chromium.connectOverCDP(browser.cdpUrl). */
const productOf = (cdpUrl: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = new WebSocket(cdpUrl)
    socket.addEventListener("open", () => socket.send(JSON.stringify({ id: 1, method: "Browser.getVersion" })))
    socket.addEventListener("message", ({ data }) => {
      resolve(JSON.parse(String(data)).result.product)
      socket.close()
    })
    socket.addEventListener("close", () => reject(new Error(`${cdpUrl} closed the connection`)))
  })

export const program = async (agent: WebAgent) => {
  await using browser = await agent.browsers.create({ proxyCountryCode: "no" })
  return await productOf(browser.cdpUrl)
}
