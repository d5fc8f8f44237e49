import type { Browser, Page } from "playwright-core"
import type { Served } from "../browsers/Served.ts"

/** A browser of a server, whose page viewers see. */
export interface Viewed {
  /** Process id of the server. */
  readonly server: number
  readonly page: Page
  readonly liveUrl: string
  readonly controlUrl: string
  readonly close: () => Promise<void>
}

/** Creates a browser and connects to its page. */
export const openViewed =
  (viewer: Browser) =>
  async ({ create, server }: Served): Promise<Viewed> => {
    const { cdpUrl, controlUrl, liveUrl } = await create()
    const client = await viewer.browserType().connectOverCDP(cdpUrl)
    const page = client.contexts()[0]?.pages()[0]
    if (page === undefined || liveUrl === undefined || controlUrl === undefined) {
      throw new Error("The server gave no browser that can be seen and controlled.")
    }
    return { server: server.pid, page, liveUrl, controlUrl, close: () => client.close() }
  }

/** The address of the socket of a link. */
export const socketOf = (link: string): string => `${link.replace(/^http/u, "ws")}/socket`
