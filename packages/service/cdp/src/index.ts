export type { CdpClient, CdpOptions, CdpParams, CdpResult, CdpSession } from "./CdpClient.ts"
export { CdpError } from "./CdpError.ts"
export { connect, openSocket, overSocket, overTransport, type Transport } from "./Connections.ts"
export type { Commands, Events, FrameInfo, FrameTree, RemoteObject, TargetInfo } from "./Protocol.ts"
