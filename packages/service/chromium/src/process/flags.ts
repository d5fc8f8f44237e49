/** Flags of every browser that we start, for any purpose. */
const always = [
  "--headless",
  // which port is said on standard error
  "--remote-debugging-port=0",
  // Chromium ends when this pipe does: with the server, however that ends
  "--remote-debugging-pipe",
  // what it would do by itself: it connects to the pages that it is sent to, and to nothing else
  "--disable-background-networking",
  // a page that comes back from it has its documents without a request that could be refused
  "--disable-back-forward-cache",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-sync",
  "--disable-features=AcceptCHFrame,DialMediaRouteProvider,MediaRouter,OptimizationHints,Translate",
  "--metrics-recording-only",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--password-store=basic",
  "--use-mock-keychain",
  // a container's /dev/shm is small
  "--disable-dev-shm-usage",
  // of what a browser may take of the disk, pages keep the rest
  "--disk-cache-size=134217728",
  "--mute-audio"
]

/** The size of a browser's window unless another one is chosen. */
const usualScreen = { width: 1280, height: 720 }

/** The languages of a browser unless others are chosen. Without any, its locale is `en-US@posix`, which `Intl` refuses. */
export const usualLanguages: ReadonlyArray<string> = ["en-US", "en"]

/** The system in a user agent, which Chrome keeps the same for all versions and processors. */
const system = process.platform === "darwin" ? "Macintosh; Intel Mac OS X 10_15_7" : "X11; Linux x86_64"

/** Empties the brands of client hints, which say "HeadlessChrome" whatever the user agent is. */
const noBrands = "--enable-features=UACHOverrideBlank"

/** Announces the user agent of a Chrome with a window, because some sites turn "HeadlessChrome" away. */
const usualUserAgent = (version: string): ReadonlyArray<string> => {
  const [, major] = /(\d+)\.\d/u.exec(version) ?? []
  return major === undefined
    ? []
    : [
        noBrands,
        `--user-agent=Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`
      ]
}

interface Shown {
  readonly languages: ReadonlyArray<string>
  /** The browser's version, such as `Chromium 153.0.8010.0`. */
  readonly version: string
  /** Size of the window; null for the usual one. */
  readonly screen: { readonly width: number; readonly height: number } | null
  /** Null for that of a Chrome with a window. */
  readonly userAgent: string | null
}

/** The arguments of a browser with this profile. Its first page is empty. */
export const args = (
  profile: string,
  chromiumSandbox: boolean,
  { languages, screen, userAgent, version }: Shown
): ReadonlyArray<string> => [
  ...always,
  `--user-data-dir=${profile}`,
  `--accept-lang=${languages.join(",")}`,
  `--window-size=${(screen ?? usualScreen).width},${(screen ?? usualScreen).height}`,
  ...(userAgent === null ? usualUserAgent(version) : [noBrands, `--user-agent=${userAgent}`]),
  ...(chromiumSandbox ? [] : ["--no-sandbox"]),
  "about:blank"
]
