import { isHidden, withoutAddress } from "@webagent/report/StoredArgument"
import type { Config } from "./Config.ts"
import type { Channel } from "./Values.ts"

const countsOf = (words: ReadonlyArray<string>): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))

/**
 * Returns the channels of a run from its report, which doesn't store the addresses of webhooks: the ones on the same
 * server in the configuration take their place, if there are as many. Other webhooks stay as they are stored.
 */
export const withAddresses = (
  channels: ReadonlyArray<Channel>,
  notifications: Config["notifications"] = []
): ReadonlyArray<Channel> => {
  const stored = countsOf(channels.flatMap(({ to }) => (isHidden(to) ? [`webhook=${to}`] : [])))
  const configured = notifications.flatMap((one) =>
    "webhook" in one ? [{ to: one.webhook, hidden: withoutAddress(`webhook=${one.webhook}`) }] : []
  )
  const counts = countsOf(configured.map(({ hidden }) => hidden))
  const addresses = configured.filter(({ hidden }) => stored.get(hidden) === counts.get(hidden))
  const replaced = new Set(addresses.map(({ hidden }) => hidden))
  return [
    ...channels.filter(({ to }) => !replaced.has(`webhook=${to}`)),
    ...addresses.map(({ to }): Channel => ({ kind: "webhook", to }))
  ]
}
