/** True if keys are text for the element, so that single letters must not be shortcuts. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    "input:not([type=checkbox],[type=radio],[type=button]),textarea,select,[contenteditable],[data-keys]"
  ) !== null
