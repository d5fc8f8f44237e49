/**
 * Who may import whom. This table is the only place that says so: `pnpm boundaries` holds every source file to it,
 * and writes tools/arrows/ARROWS.md from it (`pnpm boundaries --write`).
 *
 * A package without an entry fails, as does a folder of a package's `src` without one, an arrow that no file uses,
 * and a cycle of packages or of folders. Dependencies from a registry are held to each package's manifest.
 */
export interface Rule {
  /** The workspace packages that files in `src` may import, by folder. */
  readonly imports: ReadonlyArray<string>
  /** Additional packages that only its tests and scripts may import. */
  readonly tests?: ReadonlyArray<string>
  /**
   * The folders of `src`, each with the folders of `src` that it may import. `"."` is the files of `src` itself; a
   * package without this has no others.
   */
  readonly folders?: Readonly<Record<string, ReadonlyArray<string>>>
}

const cli = "packages/cli"
const contract = "packages/contract"
const core = "packages/client/core"
const polling = "packages/client/polling"
const v2 = "packages/client/v2"
const v3 = "packages/client/v3"
const v4 = "packages/client/v4"
const control = "packages/service/control"
const admin = "packages/service/admin"
const cdp = "packages/service/cdp"
const engine = "packages/service/engine"
const server = "packages/service/server"
const simulation = "packages/service/simulation"
const sql = "packages/service/sql"
const scenario = "packages/harness/scenario"
const statistics = "packages/harness/statistics"
const report = "packages/harness/report"
const nights = "packages/harness/nights"
const findings = "packages/harness/findings"
const load = "packages/harness/load"
const harnessApi = "packages/harness/api"
const cassette = "packages/harness/cassette"
const evaluation = "packages/harness/eval"
const scriptedServer = "packages/testing/scripted-server"
const scriptedModel = "packages/testing/scripted-model"
const storeContract = "packages/testing/store-contract"
const testFixtures = "packages/testing/fixtures"
const testPostgres = "packages/testing/postgres"
const agent = "packages/service/agent"
const chromium = "packages/service/chromium"
const testChromium = "tools/chromium"

export const arrows: Readonly<Record<string, Rule>> = {
  [contract]: { imports: [], folders: { ".": [], v2: ["."], v3: ["."], v4: ["."] } },

  [cli]: { imports: [] },

  [polling]: { imports: [] },
  [core]: {
    imports: [contract, polling],
    tests: [scriptedServer],
    folders: { ".": [], account: ["."], promise: ["."], "promise/account": ["account", "promise", "."] }
  },
  [v2]: { imports: [contract, core, polling], tests: [scriptedServer], folders: { ".": [], promise: ["."] } },
  [v3]: { imports: [contract, core, polling], tests: [scriptedServer], folders: { ".": [], promise: ["."] } },
  [v4]: { imports: [contract, core, polling], tests: [scriptedServer], folders: { ".": [], promise: ["."] } },

  [control]: { imports: [contract] },
  [admin]: { imports: [contract] },
  [cdp]: { imports: [] },
  [engine]: {
    imports: [],
    tests: [testFixtures],
    folders: { domain: [], ports: ["domain"], ".": ["domain", "ports"] }
  },
  [sql]: { imports: [engine], tests: [storeContract, testPostgres] },
  [chromium]: {
    imports: [cdp, engine],
    tests: [contract, server],
    folders: {
      binary: [],
      egress: [],
      sandbox: ["binary", "egress"],
      process: ["binary", "cdp", "sandbox"],
      isolation: ["egress", "process", "sandbox"],
      cdp: [],
      cast: [],
      recording: [],
      live: ["cast", "recording"],
      profile: ["cdp", "process"],
      pool: ["cdp", "live", "process", "profile", "sandbox"],
      ".": ["binary", "cdp", "egress", "isolation", "live", "pool", "process", "sandbox"]
    }
  },
  [agent]: {
    imports: [cdp, engine],
    tests: [scriptedModel, testChromium],
    folders: {
      model: [],
      "page/world": [],
      page: ["page/world"],
      agent: ["model", "page"],
      ".": ["agent", "model", "page"]
    }
  },
  [server]: {
    imports: [admin, cdp, cli, contract, engine],
    tests: [testFixtures],
    folders: {
      nodes: [],
      api: ["nodes"],
      "api/v2": ["api"],
      "api/v3": ["api"],
      "api/v4": ["api"],
      mcp: ["api"],
      "http/websocket": [],
      "http/policy": ["api", "http/websocket", "nodes"],
      "http/listener": ["api", "http/policy", "http/websocket"],
      "http/endpoints": ["api", "api/v2", "api/v3", "api/v4", "http/policy", "http/websocket", "mcp", "nodes"],
      webhooks: ["api"],
      schedules: ["api", "api/v4"],
      "http/admin": ["api", "api/v4", "http/endpoints", "http/policy", "schedules", "webhooks"],
      http: [
        "api",
        "api/v2",
        "api/v3",
        "api/v4",
        "console",
        "http/admin",
        "http/endpoints",
        "http/policy",
        "schedules",
        "webhooks"
      ],
      console: ["api", "http/admin", "http/policy", "http/websocket", "nodes"],
      ".": [
        "api",
        "console",
        "http",
        "http/admin",
        "http/endpoints",
        "http/listener",
        "http/policy",
        "http/websocket",
        "nodes",
        "schedules",
        "webhooks"
      ]
    }
  },
  [simulation]: {
    imports: [cli, contract, control, engine, server],
    tests: [testFixtures],
    folders: {
      time: [],
      behavior: [],
      journal: ["time"],
      faults: ["behavior", "journal", "time"],
      requests: ["behavior", "faults", "journal", "time"],
      agent: ["behavior", "time"],
      "browser/cdp": [],
      browser: ["behavior", "browser/cdp"],
      state: ["behavior"],
      oracles: ["behavior", "journal", "state"],
      control: ["behavior", "browser", "faults", "journal", "oracles", "requests", "state", "time"],
      ".": ["agent", "behavior", "browser", "control", "faults", "journal", "oracles", "requests", "state", "time"],
      cli: [".", "control", "journal"]
    }
  },

  [statistics]: { imports: [] },
  [report]: { imports: [cli, control, statistics], tests: [testFixtures] },
  [nights]: { imports: [cli, report, statistics], tests: [testFixtures] },
  [findings]: {
    imports: [cli, nights, report, statistics],
    tests: [testFixtures],
    folders: { ".": [], words: ["."] }
  },
  [load]: {
    imports: [cli, report, statistics],
    tests: [contract, testChromium],
    folders: { ".": [], html: ["."], operator: ["."] }
  },
  [harnessApi]: { imports: [contract, findings, load, nights, report] },
  [cassette]: { imports: [contract, control], tests: [simulation] },
  [evaluation]: { imports: [cli, contract, report, scenario, statistics], folders: { ".": ["sites"], sites: [] } },
  [scenario]: { imports: [cdp, contract, control, v2, v3, v4] },

  [scriptedServer]: { imports: [] },
  [scriptedModel]: { imports: [scriptedServer] },
  [storeContract]: { imports: [engine, testFixtures] },
  [testFixtures]: { imports: [] },
  [testPostgres]: { imports: [] },
  "packages/testing/conformance": {
    imports: [],
    tests: [contract, core, polling, v2, v3, v4, control, simulation, scriptedServer]
  },

  "apps/harness": {
    imports: [
      cli,
      contract,
      core,
      polling,
      v2,
      v3,
      v4,
      control,
      server,
      simulation,
      statistics,
      report,
      nights,
      findings,
      load,
      harnessApi,
      cassette,
      evaluation,
      scenario
    ],
    tests: [scriptedModel, testChromium, testFixtures],
    folders: {
      config: ["observe"],
      suites: [],
      observe: [],
      targets: ["observe"],
      leftovers: ["observe", "targets"],
      run: ["leftovers", "observe", "targets"],
      "run/events": ["run"],
      "run/shards": ["run", "run/events"],
      reporters: [],
      page: ["reporters"],
      cli: ["config", "observe", "reporters", "run/events", "run/shards", "targets"],
      "cli/reports": ["cli", "config", "observe", "page", "reporters", "run", "run/events"],
      "cli/selection": ["cli", "cli/reports", "config", "run", "run/shards", "suites"],
      "cli/compare": ["cli"],
      "cli/doctor": ["cli"],
      "cli/eval": ["cli", "cli/run", "config"],
      "cli/drift": ["cli", "cli/run", "config"],
      "cli/history": ["cli", "page"],
      "cli/quarantine": ["cli", "cli/selection", "config"],
      "cli/init": ["cli", "config"],
      "cli/list": ["cli", "cli/selection"],
      "cli/load": ["cli", "cli/reports", "config"],
      "cli/merge": ["cli", "cli/reports", "cli/run", "run", "run/events", "run/shards"],
      "cli/plan": ["cli", "cli/selection", "reporters", "run", "targets"],
      "cli/profile": ["cli"],
      "cli/cleanup": ["cli", "leftovers"],
      "cli/run": [
        "cli",
        "cli/reports",
        "cli/selection",
        "config",
        "leftovers",
        "observe",
        "reporters",
        "run",
        "run/events",
        "targets"
      ],
      ui: [
        "cli",
        "cli/compare",
        "cli/reports",
        "cli/run",
        "cli/selection",
        "config",
        "observe",
        "page",
        "run",
        "run/events"
      ],
      "cli/ui": ["cli", "config", "page", "ui"],
      "cli/record": ["cli", "cli/run"],
      "cli/replay": ["cli"],
      "cli/show-report": ["cli", "cli/reports", "page"],
      ".": [
        "config",
        "reporters",
        "cli",
        "cli/compare",
        "cli/doctor",
        "cli/eval",
        "cli/drift",
        "cli/history",
        "cli/quarantine",
        "cli/init",
        "cli/list",
        "cli/load",
        "cli/merge",
        "cli/plan",
        "cli/profile",
        "cli/cleanup",
        "cli/record",
        "cli/run",
        "cli/replay",
        "cli/show-report",
        "cli/ui"
      ]
    }
  },
  "apps/server": {
    imports: [admin, cli, engine, sql, chromium, agent, server, simulation],
    tests: [scriptedModel, scriptedServer, storeContract, testFixtures, testPostgres]
  },
  "apps/console": {
    imports: [admin, control, findings, harnessApi, load, report, statistics],
    tests: [contract, scriptedModel, scriptedServer, server, simulation, testChromium, testFixtures, testPostgres],
    folders: {
      ".": ["app", "styles"],
      harness: [
        "app",
        "harness/compare",
        "harness/load",
        "harness/night",
        "harness/nights",
        "harness/run",
        "harness/runs",
        "harness/scenario",
        "harness/state",
        "harness/suites",
        "harness/trial",
        "state",
        "styles",
        "ui"
      ],
      "harness/state": ["state", "ui"],
      "harness/parts": ["harness/nights", "harness/state", "state", "ui"],
      "harness/nights": ["harness/state", "state", "ui"],
      "harness/night": ["harness/parts", "harness/state", "state", "ui"],
      "harness/compare": ["harness/parts", "harness/state", "state", "ui"],
      "harness/scenario": ["harness/parts", "harness/state", "state", "ui"],
      "harness/runs": ["harness/run", "harness/state", "state", "ui"],
      "harness/run": ["harness/parts", "harness/state", "state", "ui"],
      "harness/trial": ["harness/parts", "harness/run", "harness/state", "state", "ui"],
      "harness/suites": ["harness/parts", "harness/run", "harness/state", "state", "ui"],
      "harness/load": ["harness/state", "state", "ui"],
      app: [
        "features/browser",
        "features/events",
        "features/keys",
        "features/nodes",
        "features/overview",
        "features/run",
        "features/runs",
        "features/sessions",
        "features/settings",
        "features/share",
        "features/shared-run",
        "features/sign-in",
        "features/simulation",
        "features/spend",
        "features/start",
        "features/wall",
        "state",
        "ui"
      ],
      state: [],
      ui: ["state"],
      styles: [],
      "features/browser": ["features/run", "state", "ui"],
      "features/events": ["state", "ui"],
      "features/keys": ["state", "ui"],
      "features/nodes": ["features/health", "state", "ui"],
      "features/health": ["state", "ui"],
      "features/inbox": ["state", "ui"],
      "features/overview": ["features/inbox", "state", "ui"],
      "features/run": [
        "features/inbox",
        "features/runs",
        "features/share",
        "features/simulation",
        "features/start",
        "state",
        "ui"
      ],
      "features/runs": ["state", "ui"],
      "features/sessions": ["state", "ui"],
      "features/settings": ["features/health", "state", "ui"],
      "features/share": ["state", "ui"],
      "features/shared-run": ["features/run", "state", "ui"],
      "features/sign-in": ["state", "ui"],
      "features/simulation": ["state", "ui"],
      "features/spend": ["features/keys", "state", "ui"],
      "features/start": ["state", "ui"],
      "features/wall": ["state", "ui"]
    }
  },
  "apps/examples": {
    imports: [contract, core, polling, v2, v3, v4, simulation, scenario, "apps/harness"],
    tests: [control]
  },
  "apps/docs": { imports: [], tests: [testChromium] },
  "tools/arrows": { imports: [] },
  "tools/bench": {
    imports: [
      cdp,
      contract,
      core,
      polling,
      v4,
      engine,
      agent,
      sql,
      statistics,
      report,
      nights,
      findings,
      scriptedModel,
      storeContract,
      testChromium,
      testPostgres
    ],
    folders: {
      measure: [],
      chaos: ["measure"],
      live: ["browsers", "measure"],
      console: ["lists", "measure"],
      ui: ["measure"],
      simulated: ["measure"],
      durable: ["measure"],
      waiting: ["browsers", "measure"],
      stores: ["measure"],
      lists: ["measure"],
      browsers: ["measure"],
      clients: ["measure"],
      soak: ["measure"],
      nights: ["measure"],
      page: ["measure"],
      replay: ["measure"],
      steps: ["measure", "page"],
      versions: ["measure"],
      goals: ["browsers", "clients", "live", "measure", "simulated", "stores", "versions"]
    }
  },
  [testChromium]: { imports: [chromium, engine] },
  "tools/containers": { imports: [], folders: { ".": ["build"], build: [] } },
  "tools/docs-test": { imports: [control], tests: [simulation, scenario, testChromium] },
  "tools/k6": { imports: [] },
  "tools/packaging": { imports: [], tests: [core, v2, v3, v4, simulation, testChromium] },
  "tools/workspace": { imports: [] },
  "tools/xk6-ts": { imports: [] }
}
