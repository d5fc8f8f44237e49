import { usd } from "../../ui/format.ts"

/** The cost of a night, and the part of its confirm trials: `$0.54 simulated, $0.20 to confirm`. */
export const costText = (cost_usd: string, confirm_usd: number, target: string): string => {
  // differences of decimals are not exact
  const part = confirm_usd > 1e-9 ? `, ${usd(confirm_usd)} to confirm` : ""
  return `${usd(cost_usd)}${target === "simulated" ? " simulated" : ""}${part}`
}
