import { join } from "node:path"
import type { Pinning } from "../measure/Pinning.ts"
import { apiKey, type ServerProcess, startServer } from "../measure/ServerProcess.ts"

/** Starts the loopback service of the clients. */
export const startService = (installed: string, pinning: Pinning): Promise<ServerProcess> =>
  startServer(
    (port) =>
      pinning.onServerCore({
        file: process.execPath,
        args: [join(installed, "run-service.mjs"), String(port), apiKey]
      }),
    { method: "GET", path: "/polls", headers: {} }
  )
