import { spawnSync } from "node:child_process"

/** Returns whether a server has commands. Versions before 2026-11-24 have none, and print no requests. */
const hasCommands = (server: string) => {
  const { stdout } = spawnSync(process.execPath, [server, "--help"], { encoding: "utf8" })
  return /^\s+simulate\s/mu.test(stdout)
}

/** The arguments of a server with simulated browsers and agents, which prints no requests. */
export const commandOf = (server: string, command: "serve" | "simulate"): ReadonlyArray<string> => {
  if (!hasCommands(server)) return [server, "--browsers", "simulated"]
  return command === "simulate" ? [server, command, "--quiet"] : [server, command]
}

/** The arguments of a server with real browsers, which are as isolated as the machine allows. */
export const chromiumOf = (server: string): ReadonlyArray<string> =>
  hasCommands(server)
    ? [server, "serve", "--browsers", "chromium", "--min-isolation", "none"]
    : [server, "--browsers", "chromium", "--isolation", "none"]
