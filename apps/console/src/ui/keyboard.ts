/** True if keys are text for the element, so that single letters must not be shortcuts. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    "input:not([type=checkbox],[type=radio],[type=button]),textarea,select,[contenteditable],[data-keys]"
  ) !== null

/** True if a key may be a shortcut of the screen: no field has the focus, and no dialog is open, which has keys of its own. */
export const isShortcut = (event: KeyboardEvent): boolean =>
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !isTyping(event.target) &&
  document.querySelector("[role=dialog],[role=alertdialog]") === null
