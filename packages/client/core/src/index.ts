export * as AgentResult from "./AgentResult.ts"
export type { ResultSchema, WithResult } from "./AgentResult.ts"
export * from "./Answered.ts"
export * as Breaker from "./Breaker.ts"
export * as Browsers from "./Browsers.ts"
export type { BrowserCalls, BrowserError, BrowserListError, BrowserListOptions } from "./Browsers.ts"
export * from "./ClientConfig.ts"
export * as CallOptions from "./CallOptions.ts"
export type { CallOptions as CallChoices, CreateOptions } from "./CallOptions.ts"
export type { CallError, CreateError } from "./ContractClient.ts"
export * as ContractClient from "./ContractClient.ts"
export * as Cost from "./Cost.ts"
export type { TotalCost } from "./Cost.ts"
export * from "./CreateOutcomeUnknown.ts"
export { execute, toResponse } from "./Execute.ts"
export * as Grace from "./Grace.ts"
export { layerHttp } from "./HttpDefault.ts"
export type { PlainRequest } from "./Outgoing.ts"
export { layerFetch } from "./HttpFetch.ts"
export type { Hooks, PollEvent, RequestEvent, ResponseEvent } from "./Hooks.ts"
export * as IdempotencyKey from "./IdempotencyKey.ts"
export * as Ledger from "./Ledger.ts"
export { LedgerError } from "./Ledger.ts"
export * from "./LedgerEntry.ts"
export * as LedgerFile from "./LedgerFile.ts"
export * as Leaving from "./Leaving.ts"
export * as LedgerMemory from "./LedgerMemory.ts"
export * as Metrics from "./Metrics.ts"
export * as Raw from "./Raw.ts"
export type { RequestOptions } from "./Raw.ts"
export * from "./OperationUnavailableError.ts"
export * as Pages from "./Pages.ts"
export * as RequestId from "./RequestId.ts"
export { type ResponseInfo, withResponse } from "./Responses.ts"
export * as RetryPolicy from "./RetryPolicy.ts"
export * from "./TooManyRequestsError.ts"
export * as Trace from "./Trace.ts"
export type { StandardSchema, Validated, WithoutResult } from "./StandardSchema.ts"
export * from "./Transport.ts"
export {
  AnswerTooLarge,
  CircuitOpen,
  ConnectionFailed,
  inLine,
  InvalidRequest,
  Timeout,
  TransportError,
  TransportErrorReason,
  UndecodableAnswer,
  UnexpectedStatus
} from "./TransportError.ts"
