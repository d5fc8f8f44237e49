import { agentTests } from "@webagent/scripted-server/Promises"
import { WebAgent, type WebAgentOptions } from "../../src/promise/index.ts"

/** A test in promises, with a client of a scripted server over real sockets. */
export const withAgent = agentTests(WebAgent, (baseUrl): WebAgentOptions => ({ baseUrl, apiKey: "wak_canary" }))
