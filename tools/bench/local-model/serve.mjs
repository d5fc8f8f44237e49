/**
 * Serves a GGUF file of the Qwen 2.5 family as an OpenAI-compatible endpoint with tool calls, on 127.0.0.1:
 *
 *     npm install --prefix FOLDER --ignore-scripts --omit=optional node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1
 *     node tools/bench/local-model/serve.mjs FOLDER MODEL.gguf [PORT] [CONTEXT]
 *
 * It's for trying the agent with a real model on a machine without a vendor's key and without another runtime. The runtime
 * is no dependency of the repository. One request runs at a time; what two requests begin with alike is read once.
 */
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [folder, file, port = "8181", size = "8192"] = process.argv.slice(2)
if (folder === undefined || file === undefined) {
  process.stderr.write("Usage: node serve.mjs FOLDER_OF_NODE_LLAMA_CPP MODEL.gguf [PORT] [CONTEXT]\n")
  process.exit(2)
}
const entry = createRequire(join(resolve(folder), "package.json")).resolve("node-llama-cpp")
const { getLlama, LlamaCompletion } = await import(pathToFileURL(entry).href)

const contextSize = Number(size)
const mostOutput = 400
const llama = await getLlama({ build: "never", gpu: false, maxThreads: 1 })
const model = await llama.loadModel({ modelPath: resolve(file) })
const context = await model.createContext({ contextSize, threads: 1 })
const completion = new LlamaCompletion({ contextSequence: context.getSequence() })

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("")

const callText = ({ function: { arguments: input, name } }) =>
  `\n<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${input}}\n</tool_call>`

const toolsText = (tools) =>
  [
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n",
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    ...tools.map((tool) => JSON.stringify(tool)),
    "</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:",
    '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
  ].join("\n")

/** The prompt in the model's own template, ChatML. */
const promptOf = ({ messages, tools = [] }) => {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => textOf(content))
  const rest = messages.filter(({ role }) => role !== "system")
  const turns = rest.map(({ content, role, tool_calls: calls = [] }, at) => {
    if (role === "tool") {
      const start = rest[at - 1]?.role === "tool" ? "" : "<|im_start|>user"
      const end = rest[at + 1]?.role === "tool" ? "" : "<|im_end|>\n"
      return `${start}\n<tool_response>\n${textOf(content)}\n</tool_response>${end}`
    }
    return `<|im_start|>${role}\n${textOf(content)}${calls.map(callText).join("")}<|im_end|>\n`
  })
  const offered = tools.length === 0 ? "" : toolsText(tools)
  return `<|im_start|>system\n${system.join("\n")}${offered}<|im_end|>\n${turns.join("")}<|im_start|>assistant\n`
}

/** A small model invents tools: a grammar allows only one call, of a tool that is offered. */
const grammarOf = ({ tool_choice: choice, tools = [] }) =>
  choice !== "required" || tools.length === 0
    ? undefined
    : llama.createGrammar({
        grammar: [
          String.raw`root ::= "<tool_call>\n{\"name\": \"" name "\", \"arguments\": " obj "}\n</tool_call>"`,
          `name ::= ${tools.map((tool) => JSON.stringify(tool.function.name)).join(" | ")}`,
          String.raw`obj ::= "{" (pair (", " pair)*)? "}"`,
          String.raw`pair ::= str ": " val`,
          String.raw`val ::= str | num | "true" | "false" | "null" | obj | "[" (val (", " val)*)? "]"`,
          String.raw`str ::= "\"" ([^"\\\n] | "\\" ["\\/bfnrt])* "\""`,
          String.raw`num ::= "-"? [0-9]+ ("." [0-9]+)?`
        ].join("\n"),
        stopGenerationTriggers: []
      })

const callsIn = (text) =>
  [...text.matchAll(/<tool_call>\s*([\s\S]*?)\s*(?:<\/tool_call>|$)/gu)].flatMap(([, json], at) => {
    try {
      const { arguments: input = {}, name } = JSON.parse(json)
      return [
        { id: `call_${Date.now()}_${at}`, type: "function", function: { name, arguments: JSON.stringify(input) } }
      ]
    } catch {
      return []
    }
  })

const complete = async (request, signal) => {
  const tokens = model.tokenize(promptOf(request), true)
  if (tokens.length > contextSize - 64) {
    const message = `This model's maximum context length is ${contextSize} tokens. However, your messages resulted in ${tokens.length} tokens.`
    return [400, { error: { message, type: "invalid_request_error", code: "context_length_exceeded" } }]
  }
  const { metadata, response } = await completion.generateCompletionWithMeta(tokens, {
    maxTokens: Math.min(request.max_tokens ?? mostOutput, mostOutput, contextSize - tokens.length - 8),
    temperature: 0,
    customStopTriggers: ["<|im_end|>", "<|im_start|>"],
    grammar: await grammarOf(request),
    disableContextShift: true,
    signal,
    stopOnAbortSignal: true
  })
  const calls = callsIn(response)
  const [prompt_tokens, completion_tokens] = [tokens.length, model.tokenize(response).length]
  const message = { role: "assistant", content: calls.length === 0 ? response : null }
  const reason = metadata.stopReason === "maxTokens" ? "length" : "stop"
  return [
    200,
    {
      id: `chatcmpl-${Date.now()}`,
      object: "chat.completion",
      created: Math.floor(Date.now() / 1000),
      model: request.model,
      choices: [
        {
          index: 0,
          message: calls.length === 0 ? message : { ...message, tool_calls: calls },
          finish_reason: calls.length === 0 ? reason : "tool_calls"
        }
      ],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
  ]
}

let queue = Promise.resolve()

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const send = (status, body) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  if (request.method !== "POST") return send(404, { error: { message: "Only POST /v1/chat/completions is served." } })
  const closed = new AbortController()
  response.on("close", () => closed.abort())
  const before = queue
  queue = (async () => {
    await before
    // the client may have left while others were served
    if (closed.signal.aborted) return
    try {
      send(...(await complete(JSON.parse(Buffer.concat(chunks).toString("utf8")), closed.signal)))
    } catch (error) {
      if (!response.headersSent) send(500, { error: { message: String(error) } })
    }
  })()
}).listen(Number(port), "127.0.0.1", () => console.log(`ready on http://127.0.0.1:${port}/v1`))
