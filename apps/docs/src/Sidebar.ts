/** A page or a group of the sidebar. */
export interface Item {
  readonly text: string
  readonly link?: string
  readonly items?: Array<Item>
  readonly collapsed?: boolean
}

/** The generated pages of each group of the reference. */
export type Reference = Readonly<Record<"api" | "http" | "cli", Array<Item>>>

const page = (text: string, link: string) => ({ text, link })

const group = (text: string, items: Array<Item>): Item => ({ text, collapsed: true, items })

export const nav = [page("Guides", "/guides"), page("Reference", "/cli"), page("Troubleshooting", "/troubleshooting")]

/** The tree of the site. A test fails if a page of `docs/` isn't in it. */
export const sidebar = ({ api, cli, http }: Reference): Array<Item> => [
  {
    text: "Start",
    items: [
      page("Introduction", "/"),
      page("Get started", "/get-started"),
      page("Concepts", "/concepts"),
      page("All guides", "/guides")
    ]
  },
  group("Use the API", [
    page("Wait for runs and handle errors", "/waits-and-errors"),
    page("Retries and idempotency", "/retries"),
    page("Follow a run's events", "/follow-events"),
    page("Promises", "/promises"),
    page("Browsers", "/browsers"),
    page("Run options", "/run-options"),
    page("Repeat a run without the model", "/replay"),
    page("Browser profiles", "/profiles"),
    page("Files", "/files"),
    page("Hand over to a person", "/hand-off"),
    page("Recover from a crash", "/crash-recovery"),
    page("Configure a client", "/configure-clients"),
    page("API versions", "/api-versions"),
    page("Runtimes", "/runtimes"),
    page("Migrate from the official SDK", "/migrating")
  ]),
  group("Test your app", [
    page("Test without paying", "/test-your-app"),
    page("Simulated service", "/simulated-service"),
    page("Test in virtual time", "/test-in-virtual-time"),
    page("Other languages", "/other-languages"),
    page("Run tests in CI", "/ci")
  ]),
  group("Test the service", [
    page("Write suites", "/write-suites"),
    page("Develop suites", "/develop"),
    page("Run suites in a browser", "/ui"),
    page("Set up a nightly", "/nightly"),
    page("Read the report", "/read-the-report"),
    page("Deal with a failed night", "/known-problems"),
    page("How results are judged", "/verdicts"),
    page("Split a night across machines", "/shards"),
    page("Budgets", "/budgets"),
    page("Notifications", "/notifications"),
    page("Write a reporter", "/reporters"),
    page("Record, replay and compare", "/record-and-replay")
  ]),
  group("Load test", [page("Run a load test", "/load-test"), page("Compare two versions", "/compare-versions")]),
  group("Self-host", [
    page("Run your own server", "/run-your-own-server"),
    page("Real browsers", "/self-host-browsers"),
    page("Tasks with a model", "/run-tasks-with-a-model"),
    page("Evaluate a model", "/evaluate-a-model"),
    page("What the agent can do", "/agent-abilities"),
    page("Keep an agent in bounds", "/agent-safety"),
    page("Web console", "/console"),
    page("Behind a proxy", "/reverse-proxy"),
    page("Postgres", "/postgres"),
    page("Several servers", "/several-servers"),
    page("Operate several servers", "/operate-several-servers"),
    page("Containers", "/containers"),
    page("Monitor", "/monitor"),
    page("Back up and restore", "/back-up"),
    page("Versions and updates", "/versions"),
    page("Webhooks", "/webhooks"),
    page("Schedules", "/schedules"),
    page("MCP", "/mcp"),
    page("Admin API", "/admin-api")
  ]),
  group("Reference", [
    group("Packages", api),
    group("HTTP API", http),
    { ...group("Commands", cli), link: "/cli" },
    page("Harness configuration", "/harness-configuration"),
    page("Environment variables", "/environment"),
    page("Errors", "/errors"),
    page("Error classes", "/reference/errors"),
    page("JSON output", "/json-output"),
    page("API versions", "/api-versions-reference"),
    page("Server", "/server-reference"),
    page("Suites", "/suites-reference"),
    page("How results are judged, in detail", "/verdicts-reference"),
    page("Simulated service", "/simulated-service-reference"),
    page("Load tests", "/load-reference"),
    page("Assumptions", "/assumptions")
  ]),
  group("Help", [page("Troubleshooting", "/troubleshooting"), page("Glossary", "/glossary")])
]
