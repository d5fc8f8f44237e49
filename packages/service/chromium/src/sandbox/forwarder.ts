/** Where the proxy and DevTools listen on the loopback interface of a namespace, which has no other port open. */
export const proxyPort = 3128
export const devToolsPort = 9222

/**
 * What runs in a namespace: it starts the browser, and carries connections between the loopback interface of the
 * namespace and two sockets of the browser's folder, which are all that leads out. It is text because a folder with the
 * server's own files is not there. Node is, on every machine with a server; it costs a browser 9 MB, and `socat`, which
 * costs less, would be one more program to install.
 */
export const forwarder = `
const { connect, createServer } = require("node:net")
const { pipeline } = require("node:stream")
const { spawn } = require("node:child_process")
const { signals } = require("node:os").constants
const [egress, devTools, executable, ...args] = process.argv.slice(1)

// what is written in parts is passed on in parts: it would wait for an acknowledgement of the first one, 40 ms
const shared = { allowHalfOpen: true, noDelay: true }

const forward = (from, to) =>
  new Promise((resolve) =>
    createServer(shared, (client) => {
      const other = connect({ ...to, ...shared })
      pipeline(client, other, client, () => other.destroy())
    }).listen(from, resolve)
  )

const local = (port) => ({ host: "127.0.0.1", port })

Promise.all([
  forward(local(${proxyPort}), { path: egress }),
  forward({ path: devTools }, local(${devToolsPort}))
]).then(() => {
  // Chromium ends with the pipes 3 and 4, which are the server's
  const browser = spawn(executable, args, { stdio: ["ignore", "ignore", "inherit", 3, 4] })
  browser.once("error", (error) => {
    console.error(error.message)
    process.exit(127)
  })
  browser.once("exit", (code, signal) => process.exit(code ?? 128 + signals[signal]))
})
`
