import { createRoot } from "react-dom/client"
import { App } from "./app/App.tsx"
import "./styles/styles.ts"

const root = document.getElementById("root")
if (root !== null) createRoot(root).render(<App />)
