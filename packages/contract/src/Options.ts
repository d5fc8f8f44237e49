// Fields of requests and responses, in types without Effect: clients for promises have the same.

/** A secret that the agent of one run may type. No response has its value. */
export interface SecretBinding {
  /** The name that the task and the agent use, as in `<secret:alias>`: letters, digits, dots, dashes and underscores. */
  readonly alias: string
  /** The value, or the name of a secret that the operator of the server has configured. */
  readonly source:
    | { readonly type: "inline"; readonly value: string }
    | { readonly type: "server"; readonly name: string }
  /** The sites on which it may be typed, such as `shop.example` or `*.shop.example`. */
  readonly allowedDomains: ReadonlyArray<string>
}

/**
 * Fields of `POST /runs` that published clients send, and the description doesn't show. They are types alone: the service
 * checks their values.
 */
export interface RunOptions {
  /** Makes the run the next one of this session. */
  readonly sessionId?: string
  /** The name of the model, as the service knows it. */
  readonly model?: string
  /** The most that the run may cost, in USD. */
  readonly maxCostUsd?: number | string
  /**
   * Effect of reaching `maxCostUsd`: the run fails, or waits until a person answers with a higher limit in USD or with
   * `end`. `fail` by default.
   */
  readonly onMaxCost?: "fail" | "pause"
  /** Secrets that the agent may type without seeing them. */
  readonly secretBindings?: ReadonlyArray<SecretBinding> | null
  /** True, or an object, to have a second model call judge the result, with a `model` and a `context` of its own. */
  readonly judge?: boolean | { readonly context?: string | null; readonly model?: string | null } | null
  /** At most 20 texts, for filters of lists. */
  readonly tags?: ReadonlyArray<string> | null
  /** At most 10 pairs of your own, which are sent back with the run. */
  readonly metadata?: { readonly [name: string]: string } | null
  /** The longest that the run may wait for a free browser, in seconds; 0 fails it if there is none at once. */
  readonly queueTimeout?: number
  /** Lets the agent ask people. */
  readonly handOff?: {
    /** Time that a person has for an answer, in seconds: 1 to 86,400, by default 600. */
    readonly timeout?: number
    /** The effect of no answer in time; `fail` by default. */
    readonly whenUnanswered?: "fail" | "skip" | "continue"
    /** True to have the run's time limit stand still while it waits. */
    readonly pausesTimeLimit?: boolean
  }
  /** The files that the agent may upload to websites, by the ids of their uploads. */
  readonly attachedFileIds?: ReadonlyArray<string> | null
  /** Without `attachedFileIds`, the agent may upload all files of this workspace. */
  readonly workspaceId?: string | null
  /**
   * The id of a completed run whose steps are repeated without the model. The model is asked only for a step that can't
   * be repeated; with `asksModel: false`, the run fails there. With an empty `task`, it's that run's task.
   */
  readonly replayOf?: string | { readonly runId: string; readonly asksModel?: boolean } | null
  /** The settings of the run's browser. A service may refuse settings that it can't honor. */
  readonly browserSettings?: {
    readonly profileId?: string | null
    readonly proxyCountryCode?: string | null
    readonly customProxy?: { readonly [name: string]: unknown } | null
    readonly screenWidth?: number
    readonly screenHeight?: number
    readonly record?: boolean
    /** The languages that it announces to pages, the preferred one first, such as `de-DE`. */
    readonly languages?: ReadonlyArray<string> | null
    /** The time zone of its pages, such as `Europe/Berlin`. */
    readonly timeZone?: string | null
    /** The user agent that it announces. */
    readonly userAgent?: string | null
  }
}

/** The replay of a run. It's a type alone: a client keeps what the service sends. */
export interface RunReplay {
  /** The id of the run whose steps it repeats. */
  readonly of: string
  readonly asksModel: boolean
  /** Steps that were repeated as they were. */
  readonly replayed: number
  /** Steps that were repeated on an element that had moved. */
  readonly healed: number
  /** Steps for which the model was asked. */
  readonly asked: number
}

/**
 * Fields of `POST /browsers` that published clients send, and the description doesn't show. They are types alone: the
 * service checks their values.
 */
export interface BrowserOptions {
  /** Starts with the state of this profile, and saves its own there when it's stopped. */
  readonly profileId?: string | null
  /** The longest time that it runs, in minutes. */
  readonly timeout?: number
  readonly browserScreenWidth?: number
  readonly browserScreenHeight?: number
  /** True records it. */
  readonly enableRecording?: boolean
  /** At most 10 pairs of your own, which are sent back with the browser. */
  readonly metadata?: { readonly [name: string]: string }
}
