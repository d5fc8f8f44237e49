/** What a browser of ours is started with, whatever it is for. */
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
  "--mute-audio",
  "--window-size=1280,720"
]

/** The arguments of a browser with this profile. Its first page is empty. */
export const args = (profile: string, chromiumSandbox: boolean): ReadonlyArray<string> => [
  ...always,
  `--user-data-dir=${profile}`,
  ...(chromiumSandbox ? [] : ["--no-sandbox"]),
  "about:blank"
]
