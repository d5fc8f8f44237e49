export type { TaskScript } from "@webagent/control"
export type { CdpConnection, CdpError } from "./CdpConnection.ts"
export * as check from "./Check.ts"
export { CheckCount } from "./CheckCount.ts"
export { CheckFailed } from "./CheckFailed.ts"
export { HookFailed } from "./HookFailed.ts"
export { isNeed, type Need, needs } from "./Need.ts"
export * as Control from "./Control.ts"
export * as Oracle from "./Oracle.ts"
export { OracleCount } from "./OracleCount.ts"
export type { RawAnswer, RawRequest } from "./RawRequest.ts"
export {
  type Allowance,
  allowances,
  type Scenario,
  scenario,
  type ScenarioBody,
  type ScenarioOptions
} from "./Scenario.ts"
export type { ScenarioContext } from "./ScenarioContext.ts"
export * as Suite from "./Suite.ts"
export * as SuiteScope from "./SuiteScope.ts"
export type { TargetInfo } from "./TargetInfo.ts"
export type { Time } from "./Time.ts"
export { whereOf } from "./Where.ts"
