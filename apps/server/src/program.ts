/** How a person calls this program: a checkout of the repository runs its TypeScript, by a script of its own. */
export const program = import.meta.url.endsWith(".ts") ? "npm run server --" : "webagent-server"
