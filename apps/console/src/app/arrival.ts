/**
 * Moves the focus to the heading of a new screen. A screen that is still read has none yet: then the focus is on `main`, and
 * moves on when the heading is there, unless a person has moved it meanwhile. Call the returned function to stop waiting.
 */
export const focusHeading = (main: HTMLElement): (() => void) => {
  const move = (): boolean => {
    // the screen before is hidden, and still there, while the files of the new one are loaded
    const heading = [...main.querySelectorAll("h1")].find((one) => one.checkVisibility())
    if (heading === undefined) return false
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
    return true
  }
  if (move()) return () => undefined
  main.focus()
  const waiting = new MutationObserver(() => {
    const at = document.activeElement
    if ((at !== main && at !== document.body) || move()) waiting.disconnect()
  })
  waiting.observe(main, { childList: true, subtree: true })
  return () => waiting.disconnect()
}
