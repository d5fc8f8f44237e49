import { existsSync, writeFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"

/** The nice value of browsers, 2 above the server's: of a core that both want, the server gets 1.6 times as much. */
export const niceness: number = Math.min(19, getPriority() + 2)

/** Puts a process that was just started behind the server, with all that it will start. */
export const putBehind = (pid: number): void => {
  try {
    setPriority(pid, niceness)
    // where Linux weighs sessions in place of processes, a browser is one
    const session = `/proc/${pid}/autogroup`
    if (existsSync(session)) writeFileSync(session, `${niceness}`)
  } catch {
    // it has ended, or this system does not allow it
  }
}
