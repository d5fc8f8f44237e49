export * as Binary from "./binary/Binary.ts"
export * as BrowserProcess from "./process/BrowserProcess.ts"
export * as CdpClient from "./cdp/CdpClient.ts"
export * from "./sandbox/Sandbox.ts"
