import { createHash } from "node:crypto"
import { script } from "./LiveScript.ts"

const style = `:root{color-scheme:dark}
*{box-sizing:border-box}
body{margin:0;height:100dvh;display:flex;flex-direction:column;background:#18181b;color:#f4f4f5;font:15px/1.4 system-ui,sans-serif}
header{display:flex;min-height:42px;gap:4px 12px;align-items:center;padding:8px 14px;border-bottom:1px solid #3f3f46}
#title,#address{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
#title{font-weight:600;flex:0 1 auto}
#address{color:#a1a1aa;flex:1 1 0;min-width:0}
#state{flex:none;padding:2px 10px;border-radius:999px;background:#3f3f46}
[data-state=live] #state{background:#14532d}
[data-state=live][data-control] #state{background:#9a3412}
[data-state=over] #state,[data-state=wait] #state{position:fixed;z-index:1;left:50%;top:50%;translate:-50% -50%;max-width:calc(100vw - 32px);padding:14px 20px;border-radius:10px;background:#27272a;border:1px solid #52525b;text-align:center}
main{flex:1;min-height:0;display:grid;place-items:center;position:relative}
#steps{flex:none;max-height:24dvh;margin:0;padding:8px 14px 8px 48px;overflow:auto;border-top:1px solid #3f3f46;overflow-wrap:anywhere}
#steps[hidden]{display:none}
#steps li:last-child span{font-weight:600}
#steps small{color:#a1a1aa}
#steps [data-failed] small{color:#fca5a5}
[data-concealed] main{display:none}
[data-concealed] #steps{flex:1;max-height:none}
#steps img{display:block;width:160px;height:90px;margin:4px 0 8px;object-fit:cover;object-position:top;border:1px solid #52525b;border-radius:4px}
[data-concealed] #steps img{width:min(480px,100%);height:auto}
canvas{max-width:100%;max-height:100%;min-width:0;min-height:0;touch-action:none}
canvas[hidden]{display:none}
[data-state=over] canvas,[data-state=wait] canvas{opacity:.35}
[data-control] canvas{cursor:crosshair}
#keys{position:absolute;left:0;bottom:0;width:1px;height:1px;opacity:0;border:0;padding:0;resize:none}
@media(max-width:600px){header{flex-wrap:wrap;padding:8px 10px}#address{flex-basis:100%;order:3}#title{flex:1 1 0;min-width:0}}
`

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const page = (state: string, text: string, more: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Browser (live)</title>
<style>${style}</style>
</head>
<body data-state="${state}">
<header><span id="title">Browser</span><span id="address"></span><span id="state" role="status">${escape(text)}</span></header>
<main><canvas id="screen" width="1280" height="720" hidden></canvas></main>
${more}
</body>
</html>
`

/** The page that shows a browser. */
export const live: string = page(
  "wait",
  "Connecting…",
  `<ol id="steps" aria-label="Steps of the agent" tabindex="0" hidden></ol><textarea id="keys" aria-label="Keyboard input for the browser" autocapitalize="off" autocomplete="off" spellcheck="false"></textarea><script>${script}</script>`
)

/** The page of a link that shows no browser. */
export const over = (reason: string): string => page("over", reason, "")

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** The headers of every response about a live view: the token in its address is a secret. */
export const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
}
