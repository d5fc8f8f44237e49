import DefaultTheme from "vitepress/theme-without-fonts"
import "./style.css"
import { rememberTabs } from "./tabs.ts"

export default {
  extends: DefaultTheme,
  enhanceApp: () => {
    if (!import.meta.env.SSR) rememberTabs()
  }
}
