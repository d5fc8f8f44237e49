import type { Project, Run } from "@webagent/harness-api"

/** The address of a service without the path of an API, as a report has it. */
const plain = (address: string): string => address.replace(/(?:\/api\/v\d+)?\/*$/u, "")

/** The name of the project's target that a run had; its address if the project has no such target. */
export const targetOf = (
  { address, simulated }: Run["target"],
  targets: Project["targets"]
): Project["targets"][number]["name"] =>
  targets.find((one) => one.address !== null && plain(one.address) === plain(address))?.name ??
  (simulated ? "simulated" : address)
