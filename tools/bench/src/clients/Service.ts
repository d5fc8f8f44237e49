import { join } from "node:path"
import type { Pinning } from "../Pinning.ts"
import { freePort, type ServerProcess, startServer } from "../ServerProcess.ts"

/** The key that the service takes. */
export const apiKey = "wak_bench"

/** Starts the loopback service of the clients. */
export const startService = async (installed: string, pinning: Pinning): Promise<ServerProcess> => {
  const port = await freePort()
  const command = { file: process.execPath, args: [join(installed, "run-service.mjs"), String(port), apiKey] }
  return startServer(pinning.onServerCore(command), port, { method: "GET", path: "/polls", headers: {} })
}
