import { ModelConfig, ModelCost } from "@webagent/agent/options"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** A model, by its dialect and its name. */
export interface ModelName extends Pick<ModelConfig.ModelConfig, "dialect" | "model"> {}

/** Prices of a model's tokens. */
export interface ModelPrice extends ModelCost.Price {}

/** The model of a text such as `openai:NAME`. */
export const modelFromText = (text: string): Option.Option<ModelName> => Option.fromUndefinedOr(ModelConfig.parse(text))

/** The prices of a text such as `input=3,output=15,cacheRead=0.3`, in USD for a million tokens. */
export const priceFromText = (text: string): Option.Option<ModelPrice> => {
  const pairs = text.split(",").map((pair) => /^\s*(input|output|cacheRead|cacheWrite)=([\d.]+)\s*$/u.exec(pair))
  const prices = Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1], pair[2]]])))
  const { input, output, ...cache } = prices
  if (pairs.includes(null) || input === undefined || output === undefined) return Option.none()
  return Result.getSuccess(Result.try(() => ModelCost.price({ input, output, ...cache })))
}

/** An amount of USD in 1e-12 USD. */
export const costFromText = (text: string): Option.Option<bigint> => {
  const [, whole, fraction = ""] = /^(\d{1,9})(?:\.(\d{1,12}))?$/u.exec(text) ?? []
  return whole === undefined ? Option.none() : Option.some(BigInt(whole + fraction.padEnd(12, "0")))
}

/** The host of a page, with a port if there is one; `*.` includes its subdomains. */
export const domain = /^(?:\*\.)?[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/u

/** The domains of a text such as `example.com,*.example.com,127.0.0.1:8080`. */
export const domainsFromText = (text: string): Option.Option<ReadonlyArray<string>> => {
  const domains = text.split(",").map((one) => one.trim().toLowerCase())
  return domains.every((one) => domain.test(one)) ? Option.some(domains) : Option.none()
}
