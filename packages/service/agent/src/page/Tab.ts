import * as Frame from "./Frame.ts"
import type { ShownElement } from "./world/Drafting.ts"
import type { CdpClient, CdpSession, Events, FrameTree } from "@webagent/cdp"

/** A question of the page, which answers nothing else until it is answered. */
interface Dialog {
  readonly type: "confirm" | "prompt"
  readonly message: string
}

/** A tab, and what is known of it from its events. */
export interface Tab {
  readonly target: string
  readonly session: CdpSession
  readonly frames: Map<string, Frame.Frame>
  /** Requests of scripts that are not answered yet, and when each began, in milliseconds. */
  readonly requests: Map<string, number>
  /** Which frame each number of an element belongs to. */
  readonly numbers: Array<{ readonly from: number; readonly to: number; readonly frame: string }>
  /** Returns whether a document of this address may be loaded, read and used. */
  readonly mayLoad: (url: string) => boolean
  url: string
  /** The first number that no element of any tab has: a call must not mean another tab that came to the front. */
  readonly counter: { next: number }
  /** The number of looks that the model has received. */
  looks: number
  isNavigating: boolean
  /** The address of a document that has not begun yet. */
  pending: string | undefined
  dialog: Dialog | undefined
  /** The addresses of windows that it opens and that are not there yet. */
  opening: Array<string>
  /** The field of files that the page asked for last, while that is intercepted. */
  chooser: Events["Page.fileChooserOpened"] | undefined
  /** The frames inside it that load, and when each began, in milliseconds. */
  readonly loading: Map<string, number>
  /** The reason why the newest document since the start of the last action didn't load. */
  notLoaded: string | undefined
  /** Is true if its process is gone, so that it doesn't respond. */
  isCrashed: boolean
  /** Is true if it was still changing when the last wait for it ended. */
  isRestless: boolean
}

/** The callbacks and settings of a tab. */
export interface TabOptions {
  readonly client: CdpClient
  /** The milliseconds of a clock that only goes forward. */
  readonly now: () => number
  readonly mayLoad: (url: string) => boolean
  readonly counter: Tab["counter"]
  /** Remembers an address that the task may not open, and answers it as it may be told. */
  readonly refused: (url: string) => string
  /** Tells the model, once. */
  readonly note: (text: string) => void
  /** The beginning of a text that others wrote, without secrets: half of one that is cut is not known any more. */
  readonly quote: (text: string, most: number) => string
}

export const mainFrame = (tab: Tab): Frame.Frame => {
  const frame = tab.frames.get(tab.target) ?? Frame.make(tab.target, undefined, tab.session)
  tab.frames.set(tab.target, frame)
  return frame
}

/** Returns the frames around a frame, from its parent on. */
export const outerFrames = (tab: Tab, { parent }: Frame.Frame): ReadonlyArray<Frame.Frame> => {
  const outer = parent === undefined ? undefined : tab.frames.get(parent)
  return outer === undefined ? [] : [outer, ...outerFrames(tab, outer)]
}

/** Returns the frame that a frame's document is from: one without an address of its own is from the frame around it. */
export const sourceOf = (tab: Tab, frame: Frame.Frame): Frame.Frame =>
  [frame, ...outerFrames(tab, frame)].find(({ url }) => !/^(?:about:|$)/u.test(url)) ?? mainFrame(tab)

/** Puts the address of the document that an element's document is from in place of `about:blank` or `about:srcdoc`. */
export const withSource = (tab: Tab, frame: Frame.Frame, element: ShownElement): ShownElement => {
  const source = sourceOf(tab, frame)
  return source === frame ? element : { ...element, url: source === mainFrame(tab) ? tab.url : source.url }
}

/** Sent in one go, before the page does anything. */
const prepare = (session: CdpSession) => {
  session.post("Page.enable", {})
  session.post("Page.setLifecycleEventsEnabled", { enabled: true })
  session.post("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 })
  session.post("Fetch.enable", { patterns: [{ resourceType: "Document" }] })
  session.post("Emulation.setFocusEmulationEnabled", { enabled: true })
  session.post("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })
  session.post("Runtime.runIfWaitingForDebugger", {})
}

/** Watches a target that has just been attached. */
export const watch = (target: string, url: string, session: CdpSession, options: TabOptions): Tab => {
  const tab: Tab = {
    target,
    session,
    frames: new Map(),
    requests: new Map(),
    numbers: [],
    mayLoad: options.mayLoad,
    // as it begins
    url: url === "" ? "about:blank" : url,
    counter: options.counter,
    looks: 0,
    isNavigating: false,
    pending: undefined,
    dialog: undefined,
    opening: [],
    chooser: undefined,
    loading: new Map(),
    notLoaded: undefined,
    isCrashed: false,
    isRestless: false
  }
  if (tab.url === "about:blank") mainFrame(tab).url = tab.url
  watchSession(tab, session, options)
  prepare(session)
  return tab
}

/** Takes over the frames that were there before the tab was watched. */
export const takeFrames = (tab: Tab, { childFrames = [], frame }: FrameTree): void => {
  const current = frameOf(tab, frame.id, frame.parentId, tab.session)
  if (current.url === "") Frame.renew(current, frame)
  for (const child of childFrames) takeFrames(tab, child)
}

const frameOf = (tab: Tab, id: string, parent: string | undefined, session: CdpSession): Frame.Frame => {
  const current = tab.frames.get(id) ?? Frame.make(id, parent, session)
  tab.frames.set(id, current)
  if (current.session !== session) {
    // the document moved to another process
    current.session = session
    Frame.renew(current, { securityOrigin: "", url: "" })
  }
  return current
}

/** Removes a detached frame and the frames inside it. */
const drop = (tab: Tab, frame: Frame.Frame): void => {
  tab.frames.delete(frame.id)
  tab.loading.delete(frame.id)
  dropInside(tab, frame.id)
}

const dropInside = (tab: Tab, id: string) => {
  for (const child of tab.frames.values()) if (child.parent === id) drop(tab, child)
}

function watchSession(tab: Tab, session: CdpSession, options: TabOptions): void {
  watchFrames(tab, session, options)
  watchNavigation(tab, session, options)
  watchDialogs(tab, session, options)
  watchRequests(tab, session, options)
  watchDocuments(tab, session, options)
  session.on("Page.windowOpen", ({ url: opened }) => void tab.opening.push(opened))
  session.on("Page.fileChooserOpened", (chooser) => void (tab.chooser = chooser))
  session.on("Inspector.targetCrashed", () => {
    if (session === tab.session) tab.isCrashed = true
    for (const frame of tab.frames.values()) if (frame.session === session) frame.isCrashed = true
  })
  session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
    const inner = options.client.session(sessionId)
    // workers and the like are not looked at, and must not wait
    if (targetInfo.type !== "iframe") return inner.post("Runtime.runIfWaitingForDebugger", {})
    frameOf(tab, targetInfo.targetId, targetInfo.parentFrameId ?? tab.target, inner)
    watchSession(tab, inner, options)
    prepare(inner)
  })
  session.on("Target.detachedFromTarget", ({ sessionId }) => {
    for (const frame of tab.frames.values()) {
      // its document may be in another process by now
      if (frame.session.id === sessionId) drop(tab, frame)
    }
  })
}

const watchFrames = (tab: Tab, session: CdpSession, { quote }: TabOptions) => {
  session.on("Page.frameAttached", ({ frameId, parentFrameId }) => void frameOf(tab, frameId, parentFrameId, session))
  session.on("Page.frameNavigated", ({ frame }) => {
    // nothing tells of the frames of the document before
    dropInside(tab, frame.id)
    Frame.renew(frameOf(tab, frame.id, frame.parentId, session), frame)
    if (frame.id !== tab.target) return
    if (frame.unreachableUrl !== undefined) {
      tab.notLoaded = `The page did not load: ${quote(frame.unreachableUrl, 200)} cannot be reached. Check the address.`
    }
    tab.pending = undefined
    tab.url = frame.url + (frame.urlFragment ?? "")
    tab.isRestless = false
    tab.requests.clear()
  })
  session.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
    if (frameId === tab.target) tab.url = url
  })
  session.on("Page.frameDetached", ({ frameId, reason }) => {
    const frame = tab.frames.get(frameId)
    if (reason !== "swap" && frame !== undefined) drop(tab, frame)
  })
}

const watchNavigation = (tab: Tab, session: CdpSession, { now }: TabOptions) => {
  const turn = (frameId: string, isNavigating: boolean) => {
    const frame = tab.frames.get(frameId)
    if (frame !== undefined) frame.isLeaving = isNavigating
    if (frameId === tab.target) tab.isNavigating = isNavigating
  }
  session.on("Page.frameStartedNavigating", ({ frameId, navigationType, url }) => {
    if (navigationType === "sameDocument" || navigationType === "historySameDocument") return
    turn(frameId, true)
    if (frameId === tab.target) tab.pending = url
  })
  session.on("Page.frameRequestedNavigation", ({ disposition, frameId }) => {
    if (disposition === "currentTab") turn(frameId, true)
  })
  session.on("Page.lifecycleEvent", ({ frameId, name }) => {
    if (name === "DOMContentLoaded") turn(frameId, false)
  })
  session.on("Page.frameStartedLoading", ({ frameId }) => {
    if (frameId !== tab.target) tab.loading.set(frameId, now())
  })
  session.on("Page.frameStoppedLoading", ({ frameId }) => {
    turn(frameId, false)
    if (frameId === tab.target) tab.pending = undefined
    tab.loading.delete(frameId)
  })
}

const watchDialogs = (tab: Tab, session: CdpSession, { note, quote }: TabOptions) => {
  session.on("Page.javascriptDialogOpening", ({ message, type }) => {
    if (type === "confirm" || type === "prompt") {
      tab.dialog = { type, message: quote(message, 1000) }
      return
    }
    // an alert only says something, and a page that asks whether to leave it was left on purpose
    if (type === "alert") note(`The page said: ${JSON.stringify(quote(message, 300))}`)
    else note("The page asked whether to leave it, because of changes that are not saved. Leaving was confirmed.")
    session.post("Page.handleJavaScriptDialog", { accept: true })
  })
  session.on("Page.javascriptDialogClosed", () => void (tab.dialog = undefined))
}

const watchRequests = (tab: Tab, session: CdpSession, { now }: TabOptions) => {
  // what may go on for ever, such as a stream of events, is not waited for
  session.on("Network.requestWillBeSent", ({ requestId, type }) => {
    if (type === "XHR" || type === "Fetch") tab.requests.set(requestId, now())
  })
  const done = ({ requestId }: { readonly requestId: string }) => void tab.requests.delete(requestId)
  session.on("Network.loadingFinished", done)
  session.on("Network.loadingFailed", done)
}

/** The mark on errors that the browser's proxy returns itself. */
const ofProxy = /^webagent; error=/u

const watchDocuments = (tab: Tab, session: CdpSession, { mayLoad, note, refused }: TabOptions) => {
  session.on("Fetch.requestPaused", ({ frameId, request, requestId }) => {
    if (mayLoad(request.url)) return session.post("Fetch.continueRequest", { requestId })
    const why = `Refused: ${refused(request.url)} is not an address that this task may open.`
    note(why)
    if (frameId !== tab.target) return session.post("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" })
    // an empty answer leaves the page where it is; a failure would put an error page in its place
    tab.isNavigating = false
    tab.pending = undefined
    tab.notLoaded = why
    session.post("Fetch.fulfillRequest", { requestId, responseCode: 204 })
  })
  session.on("Network.responseReceived", ({ frameId, response, type }) => {
    if (type !== "Document" || frameId !== tab.target) return
    const [, status = ""] =
      Object.entries(response.headers).find(([name]) => name.toLowerCase() === "proxy-status") ?? []
    if (!ofProxy.test(status)) return
    tab.notLoaded = "The page did not load: the proxy of the browser did not pass the request on. The page says why."
  })
}
