import type { Value } from "./Literal.ts"
import type * as Document from "./Document.ts"

/** A world in which a page's expressions are evaluated. Worlds other than the page's own have a name. */
export interface World {
  readonly id: number
  readonly name: string
}

/** A page: two targets of the browser, itself and the tab that holds it, with one frame. */
export interface Page {
  readonly id: string
  readonly tabId: string
  /** The browser context that it belongs to. */
  readonly contextId: string
  document: Document.Document
  /** Names the document that is open; another for each navigation. */
  loaderId: string
  worlds: ReadonlyArray<World>
  /** Objects that clients hold, by their ids; those of a document go with it. */
  readonly objects: Map<string, Value>
}

const mostObjects = 256
const mostWorlds = 32

/** Keeps an object; the oldest goes when there are too many. */
export const hold = (page: Page, objectId: string, value: Value): void => {
  page.objects.set(objectId, value)
  const [oldest] = page.objects.keys()
  if (page.objects.size > mostObjects && oldest !== undefined) page.objects.delete(oldest)
}

/** The world of this name, made by `next` unless it is there; nothing when there are too many. */
export const world = (
  page: Page,
  name: string,
  next: () => number
): { readonly world: World; readonly made: boolean } | undefined => {
  const existing = page.worlds.find((other) => other.name === name)
  if (existing !== undefined) return { world: existing, made: false }
  if (page.worlds.length >= mostWorlds) return undefined
  const made = { id: next(), name }
  page.worlds = [...page.worlds, made]
  return { world: made, made: true }
}

/** CDP's description of a world. */
export const contextOf = (page: Page, { id, name }: World) => ({
  id,
  origin: "://",
  name,
  uniqueId: `${page.id}.${id}`,
  auxData: { isDefault: name === "", type: name === "" ? "default" : "isolated", frameId: page.id }
})

/** CDP's description of a page's only frame. */
export const frameOf = ({ document, id, loaderId }: Page) => ({
  id,
  loaderId,
  url: document.url,
  domainAndRegistry: "",
  securityOrigin: "://",
  securityOriginDetails: { isLocalhost: false },
  mimeType: document.mimeType,
  adFrameStatus: { adFrameType: "none" },
  secureContextType: "InsecureScheme",
  crossOriginIsolatedContextType: "NotIsolated",
  gatedAPIFeatures: []
})
