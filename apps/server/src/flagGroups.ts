import type { FlagGroups } from "@webagent/cli/HelpText"

/** Groups of the flags of `serve` and `simulate` in their help. */
export const flagGroups: FlagGroups = {
  NETWORK: "port host public-url trust-proxy allow-host advertise proxy allow-private-webhooks",
  KEY: "api-key admin-key api-key-header control-key profile-key-file",
  STORAGE:
    "data durable sqlite-log-limit keep-days keep-runs files file-limit workspace-limit key-files-limit keep-files-days",
  BROWSER:
    "browsers min-isolation max-browsers max-browsers-per-key browser-queue-timeout run-queue-timeout browser-languages country-proxies allow-private",
  MODEL:
    "model model-url model-price model-context model-timeout model-retry-for model-sees model-marks models fallback-model fallback-url fallback-price max-page-chars judge step-pictures record-dialogues",
  AGENT: "allow-domains secrets approvals max-steps max-failed-steps max-repeated-steps max-run-time max-run-cost",
  SIMULATION: "profile faults time time-scale seed turn-duration journal-size control control-port"
}
