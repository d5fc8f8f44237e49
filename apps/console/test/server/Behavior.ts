/** Behavior of this server, which tests can change. */
export interface Behavior {
  signedIn: boolean
  /** True if the key that signed in has the scope admin. */
  isAdmin: boolean
  /** True if every read fails with a 503. */
  isDown: boolean
  /** True if the socket stays open and sends nothing, as that of a laptop that sleeps. */
  isSilent: boolean
  /** Model of the server; null for one that can't carry out tasks. */
  model: string | null
}
