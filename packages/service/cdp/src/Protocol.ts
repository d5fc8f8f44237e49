type None = Readonly<Record<string, never>>

/** A value in a page. */
export interface RemoteObject {
  readonly objectId?: string
  readonly value?: unknown
}

interface Evaluated {
  readonly result: RemoteObject
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
}

export interface FrameInfo {
  readonly id: string
  readonly parentId?: string
  readonly url: string
  readonly urlFragment?: string
  /** The address that didn't load, if this is an error page. */
  readonly unreachableUrl?: string
  readonly securityOrigin: string
  readonly loaderId: string
}

export interface FrameTree {
  readonly frame: FrameInfo
  readonly childFrames?: ReadonlyArray<FrameTree>
}

export interface TargetInfo {
  readonly targetId: string
  readonly type: string
  readonly title: string
  readonly url: string
  /** Such as `prerender`, for a target that isn't a tab. */
  readonly subtype?: string
  readonly openerId?: string
  readonly parentFrameId?: string
}

interface NodeInfo {
  readonly backendNodeId: number
  readonly shadowRootType?: string
  readonly shadowRoots?: ReadonlyArray<NodeInfo>
}

/** Commands with typed parameters and results. */
export interface Commands {
  "Browser.cancelDownload": [{ readonly guid: string }, None]
  "Browser.getVersion": [
    None,
    {
      readonly protocolVersion: string
      readonly product: string
      readonly revision: string
      readonly userAgent: string
      readonly jsVersion: string
    }
  ]
  "Browser.setDownloadBehavior": [
    { readonly behavior: "allow" | "deny"; readonly downloadPath?: string; readonly eventsEnabled?: boolean },
    None
  ]
  "DOM.describeNode": [
    { readonly objectId: string; readonly depth?: number; readonly pierce?: boolean },
    { readonly node: NodeInfo }
  ]
  "DOM.getFrameOwner": [{ readonly frameId: string }, { readonly backendNodeId: number }]
  "DOM.resolveNode": [
    { readonly backendNodeId: number; readonly executionContextId?: number; readonly objectGroup?: string },
    { readonly object: RemoteObject }
  ]
  "DOM.setFileInputFiles": [
    { readonly files: ReadonlyArray<string>; readonly objectId?: string; readonly backendNodeId?: number },
    None
  ]
  "DOMDebugger.getEventListeners": [
    { readonly objectId: string; readonly depth: number; readonly pierce: boolean },
    { readonly listeners: ReadonlyArray<{ readonly type: string; readonly backendNodeId?: number }> }
  ]
  "Emulation.setFocusEmulationEnabled": [{ readonly enabled: boolean }, None]
  "Fetch.continueRequest": [{ readonly requestId: string; readonly url?: string }, None]
  "Fetch.enable": [{ readonly patterns?: ReadonlyArray<{ readonly resourceType: "Document" }> }, None]
  "Fetch.failRequest": [{ readonly requestId: string; readonly errorReason: "BlockedByClient" }, None]
  "Fetch.fulfillRequest": [{ readonly requestId: string; readonly responseCode: number }, None]
  "Input.dispatchKeyEvent": [
    {
      readonly type: "keyDown" | "rawKeyDown" | "keyUp"
      readonly key: string
      readonly code: string
      readonly windowsVirtualKeyCode: number
      readonly modifiers: number
      readonly text?: string
      readonly unmodifiedText?: string
      readonly commands?: ReadonlyArray<string>
    },
    None
  ]
  "Input.dispatchMouseEvent": [
    {
      readonly type: "mouseMoved" | "mousePressed" | "mouseReleased" | "mouseWheel"
      readonly x: number
      readonly y: number
      readonly deltaX?: number
      readonly deltaY?: number
      readonly button?: string
      readonly buttons?: number
      readonly clickCount?: number
      readonly modifiers?: number
    },
    None
  ]
  "Input.insertText": [{ readonly text: string }, None]
  "Network.enable": [{ readonly maxTotalBufferSize: number; readonly maxResourceBufferSize: number }, None]
  "Page.bringToFront": [None, None]
  "Page.captureScreenshot": [
    { readonly format: "jpeg"; readonly quality: number; readonly optimizeForSpeed: boolean },
    { readonly data: string }
  ]
  "Page.createIsolatedWorld": [
    { readonly frameId: string; readonly worldName: string },
    { readonly executionContextId: number }
  ]
  "Page.enable": [None, None]
  "Page.getFrameTree": [None, { readonly frameTree: FrameTree }]
  "Page.getNavigationHistory": [
    None,
    { readonly currentIndex: number; readonly entries: ReadonlyArray<{ readonly id: number; readonly url: string }> }
  ]
  "Page.handleJavaScriptDialog": [{ readonly accept: boolean; readonly promptText?: string }, None]
  "Page.navigate": [
    { readonly url: string },
    { readonly errorText?: string; readonly isDownload?: boolean; readonly loaderId?: string }
  ]
  "Page.navigateToHistoryEntry": [{ readonly entryId: number }, None]
  "Page.screencastFrameAck": [{ readonly sessionId: number }, None]
  "Page.setInterceptFileChooserDialog": [{ readonly enabled: boolean }, None]
  "Page.setLifecycleEventsEnabled": [{ readonly enabled: boolean }, None]
  "Page.startScreencast": [
    {
      readonly format: "jpeg"
      readonly quality: number
      readonly maxWidth: number
      readonly maxHeight: number
    },
    None
  ]
  "Page.stopScreencast": [None, None]
  "Runtime.callFunctionOn": [
    {
      readonly functionDeclaration: string
      readonly objectId?: string
      readonly executionContextId?: number
      readonly arguments: ReadonlyArray<RemoteObject>
    },
    Evaluated
  ]
  "Runtime.evaluate": [
    {
      readonly expression: string
      readonly contextId?: number
      readonly returnByValue?: boolean
      readonly awaitPromise?: boolean
    },
    Evaluated
  ]
  "Runtime.getProperties": [
    { readonly objectId: string; readonly ownProperties: boolean },
    { readonly result: ReadonlyArray<{ readonly name: string; readonly value?: RemoteObject }> }
  ]
  "Runtime.releaseObjectGroup": [{ readonly objectGroup: string }, None]
  "Runtime.runIfWaitingForDebugger": [None, None]
  "Target.attachToTarget": [{ readonly targetId: string; readonly flatten: true }, { readonly sessionId: string }]
  "Target.closeTarget": [{ readonly targetId: string }, None]
  "Target.createTarget": [{ readonly url: string; readonly browserContextId?: string }, { readonly targetId: string }]
  "Target.detachFromTarget": [{ readonly sessionId: string }, None]
  "Target.getTargetInfo": [{ readonly targetId: string }, { readonly targetInfo: TargetInfo }]
  "Target.getTargets": [None, { readonly targetInfos: ReadonlyArray<TargetInfo> }]
  "Target.setAutoAttach": [
    {
      readonly autoAttach: boolean
      readonly waitForDebuggerOnStart: boolean
      readonly flatten: boolean
      readonly filter?: ReadonlyArray<{ readonly type: string }>
    },
    None
  ]
  "Target.setDiscoverTargets": [{ readonly discover: boolean }, None]
}

/** Events that a session can handle. */
export interface Events {
  "Browser.downloadProgress": {
    readonly guid: string
    readonly state: "inProgress" | "completed" | "canceled"
    readonly receivedBytes: number
    readonly totalBytes: number
    readonly filePath?: string
  }
  "Browser.downloadWillBegin": { readonly guid: string; readonly suggestedFilename: string; readonly frameId: string }
  "Fetch.requestPaused": {
    readonly requestId: string
    readonly frameId: string
    readonly request: { readonly url: string }
  }
  "Inspector.targetCrashed": None
  "Network.loadingFailed": { readonly requestId: string }
  "Network.loadingFinished": { readonly requestId: string }
  "Network.requestWillBeSent": { readonly requestId: string; readonly type?: string }
  "Network.responseReceived": {
    readonly frameId?: string
    readonly type: string
    readonly response: { readonly headers: Readonly<Record<string, string>> }
  }
  "Page.fileChooserOpened": { readonly mode: "selectSingle" | "selectMultiple"; readonly backendNodeId?: number }
  "Page.frameAttached": { readonly frameId: string; readonly parentFrameId: string }
  "Page.frameDetached": { readonly frameId: string; readonly reason: string }
  "Page.frameNavigated": { readonly frame: FrameInfo }
  "Page.frameRequestedNavigation": { readonly frameId: string; readonly disposition: string }
  "Page.frameStartedLoading": { readonly frameId: string }
  "Page.frameStartedNavigating": {
    readonly frameId: string
    readonly navigationType: string
    readonly url: string
  }
  "Page.frameStoppedLoading": { readonly frameId: string }
  "Page.javascriptDialogClosed": None
  "Page.javascriptDialogOpening": { readonly type: string; readonly message: string }
  "Page.lifecycleEvent": { readonly frameId: string; readonly name: string }
  "Page.navigatedWithinDocument": { readonly frameId: string; readonly url: string }
  "Page.screencastFrame": {
    readonly data: string
    readonly sessionId: number
    readonly metadata: { readonly deviceWidth: number; readonly deviceHeight: number }
  }
  "Page.windowOpen": { readonly url: string }
  "Target.attachedToTarget": {
    readonly sessionId: string
    readonly targetInfo: TargetInfo
    readonly waitingForDebugger: boolean
  }
  "Target.detachedFromTarget": { readonly sessionId: string }
  "Target.targetCreated": { readonly targetInfo: TargetInfo }
  "Target.targetDestroyed": { readonly targetId: string }
  "Target.targetInfoChanged": { readonly targetInfo: TargetInfo }
}
