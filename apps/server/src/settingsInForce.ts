import { flagOf } from "@webagent/cli/Settings"
import type { Installation } from "@webagent/server"
import { ModelCost } from "@webagent/agent/options"
import * as Duration from "effect/Duration"
import type { ServeFlags } from "./serve.ts"
import { serveSettings } from "./settings.ts"

type Settings = Installation.InstallationService["settings"]

/** Settings whose text may have a password. */
const concealed = new Set(["countryProxies"])

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null
  if (Duration.isDuration(value)) return Duration.format(value)
  if (typeof value === "bigint") return ModelCost.format(value)
  if (Array.isArray(value)) return value.join(",")
  if (typeof value !== "object") return String(value)
  // a database is shown without its password
  if ("_tag" in value && "name" in value) return String(value.name)
  if ("dialect" in value && "model" in value) return `${String(value.dialect)}:${String(value.model)}`
  // the price of a token, shown for a million of them as the flag takes it
  return Object.entries(value)
    .flatMap(([name, part]) => (typeof part === "bigint" ? [`${name}=${ModelCost.format(part * 1_000_000n)}`] : []))
    .join(",")
}

/** The settings of a service as its flags, variables and configuration file set them. Keys are only counted. */
export const settingsInForce = (flags: ServeFlags): Settings => {
  const { adminKeys, agent, apiKeys, chromium, fallback, file, limits, shared, simulated, ...node } = flags
  const values = {
    ...node,
    ...file,
    ...shared,
    ...simulated,
    ...limits,
    ...chromium,
    ...agent,
    ...fallback
  } as Readonly<Record<string, unknown>>
  const names = Object.values(serveSettings).flatMap((group) => Object.keys(group))
  return [
    { name: "apiKeys", value: String(apiKeys.length), flag: "--api-key" },
    { name: "adminKeys", value: String(adminKeys.length), flag: "--admin-key" },
    ...names.map((name) => {
      const text = textOf(values[name])
      return { name, value: text !== null && concealed.has(name) ? "set" : text, flag: flagOf(name) }
    })
  ]
}
