import type { Browser, Page } from "playwright-core"
import type { FunctionName } from "./functions.ts"

/** A console of a running server, with a page that is signed in. */
export interface Stage {
  readonly browser: Browser
  readonly page: Page
  /** Address of the server that the page uses. */
  readonly address: string
  /** Secret of the key that the page signed in with. */
  readonly key: string
  /** Name of a node that can be drained while the page stays; undefined for a server without other nodes. */
  readonly otherNode: string | undefined
  /** The errors of all pages, which every test expects to be empty. */
  readonly problems: Array<string>
}

/** A journey of a person through the console, with the keyboard alone. */
export interface Journey {
  readonly name: string
  /** The functions of the console that it uses. */
  readonly uses: ReadonlyArray<FunctionName>
  readonly run: (stage: Stage) => Promise<void>
}
