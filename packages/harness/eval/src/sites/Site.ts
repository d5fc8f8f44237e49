/** A request to a page of a site. */
export interface PageRequest {
  readonly method: string
  /** From the episode's first page, which is `/`. */
  readonly path: string
  readonly query: URLSearchParams
  /** The fields of a sent form; empty without one. */
  readonly form: URLSearchParams
  readonly cookies: ReadonlyMap<string, string>
  /** The body as it was sent. */
  readonly body: string
}

/** A page as HTML, another page to go to, or a file. */
export type PageResponse =
  | string
  | { readonly redirect: string; readonly cookie?: string }
  | { readonly type: string; readonly body: string | Uint8Array; readonly download?: string }

/** One trial of a task: the site in a state of its own. Its pages are served where no other trial finds them. */
export interface Episode {
  /** Returns the instruction for the agent. `address` is the URL of the first page. */
  readonly instruction: (address: string) => string
  /** Returns the page at a path, or undefined if there is none. */
  readonly respond: (request: PageRequest) => PageResponse | undefined
  /** The facts about the site's state that make the trial a success. */
  readonly expected: unknown
  /** The same facts as they are now. */
  readonly actual: () => unknown
}

/** A task on a site. */
export interface SiteTask {
  readonly name: string
  /** Begins an episode. Everything that differs between episodes is drawn from `random`, which returns numbers in [0, 1). */
  readonly begin: (random: () => number) => Episode
}

/** A site that agents are evaluated on. */
export interface Site {
  /** The name on the command line: lower case, with hyphens. */
  readonly name: string
  /** One line about what the agent has to do there. */
  readonly summary: string
  readonly tasks: ReadonlyArray<SiteTask>
}
