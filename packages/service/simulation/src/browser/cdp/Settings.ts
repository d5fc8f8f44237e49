import * as Method from "./Method.ts"

/** Settings that clients send when they connect and open a page. They are accepted without effect. */
const accepted = [
  "Audits.enable",
  "Browser.setDownloadBehavior",
  "Emulation.clearDeviceMetricsOverride",
  "Emulation.setAutoDarkModeOverride",
  "Emulation.setDefaultBackgroundColorOverride",
  "Emulation.setDeviceMetricsOverride",
  "Emulation.setEmulatedMedia",
  "Emulation.setFocusEmulationEnabled",
  "Emulation.setGeolocationOverride",
  "Emulation.setLocaleOverride",
  "Emulation.setScriptExecutionDisabled",
  "Emulation.setTimezoneOverride",
  "Emulation.setTouchEmulationEnabled",
  "Emulation.setUserAgentOverride",
  "Fetch.disable",
  "Inspector.enable",
  "Log.disable",
  "Log.enable",
  "Network.disable",
  "Network.enable",
  "Network.setBypassServiceWorker",
  "Network.setCacheDisabled",
  "Network.setExtraHTTPHeaders",
  "Network.setUserAgentOverride",
  "Page.bringToFront",
  "Page.setBypassCSP",
  "Page.setFontFamilies",
  "Page.setInterceptFileChooserDialog",
  "Page.stopLoading",
  "Performance.enable",
  "Runtime.addBinding",
  "Runtime.releaseObjectGroup",
  "Runtime.removeBinding",
  "Runtime.runIfWaitingForDebugger",
  "Security.setIgnoreCertificateErrors",
  "Storage.clearCookies",
  "Target.setRemoteLocations"
]

export const methods: Method.Methods = new Map<string, Method.Method>([
  ...accepted.map((name) => [name, Method.always({})] as const),
  ["Network.getCookies", Method.always({ cookies: [] })],
  ["Storage.getCookies", Method.always({ cookies: [] })]
])
