const key = "webagent-tab"

/** Selects the tab of that name in every group of the page. */
const select = (tab: string) => {
  for (const input of document.querySelectorAll<HTMLInputElement>(`input[data-tab="${CSS.escape(tab)}"]`)) {
    input.checked = true
    const group = input.closest(".vp-code-group")
    const place = [...(group?.querySelectorAll("input[data-tab]") ?? [])].indexOf(input)
    for (const [index, block] of [...(group?.querySelectorAll(".blocks > *") ?? [])].entries())
      block.classList.toggle("active", index === place)
  }
}

/** Applies a choice of Promise or Effect to every group of tabs, on this page and on the next ones. */
export const rememberTabs = () => {
  addEventListener("change", ({ target }) => {
    const tab = target instanceof HTMLInputElement ? target.dataset["tab"] : undefined
    if (tab === undefined) return
    localStorage.setItem(key, tab)
    select(tab)
  })
  const restore = () => {
    const tab = localStorage.getItem(key)
    if (tab !== null) select(tab)
  }
  new MutationObserver((changes) => {
    const isNew = (node: Node) => node instanceof Element && node.querySelector(".vp-code-group") !== null
    if (changes.some(({ addedNodes }) => [...addedNodes].some(isNew))) restore()
  }).observe(document.documentElement, { childList: true, subtree: true })
  addEventListener("DOMContentLoaded", restore)
}
