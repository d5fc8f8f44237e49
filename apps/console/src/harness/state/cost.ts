import { usd as dollars } from "../../ui/format.ts"

/** An amount as reports write it: `0.0132 USD`. */
export const usd = (amount: Parameters<typeof dollars>[0]): string => dollars(amount).replace(/^\$(.*)/u, "$1 USD")

/** The cost of a night, and the part of its extra trials: `0.54 USD simulated, 0.20 USD to confirm`. */
export const costText = (cost_usd: string, confirm_usd: number, target: string): string => {
  // differences of decimals are not exact
  const part = confirm_usd > 1e-9 ? `, ${usd(confirm_usd)} to confirm` : ""
  return `${usd(cost_usd)}${target === "simulated" ? " simulated" : ""}${part}`
}
