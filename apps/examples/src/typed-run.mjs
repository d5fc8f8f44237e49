import { ResultMismatchError, WebAgent } from "@webagent/v4/promise"
import { z } from "zod"

const Offer = z.object({ airline: z.string(), price: z.number(), currency: z.string() })

const agent = new WebAgent()
const task = `Find the cheapest direct flight from Oslo to Rome in May. Answer with JSON: { airline, price, currency }.
  [simulate output={"airline":"Norwegian","price":89,"currency":"EUR"}]`
try {
  const { result } = await agent.runs.createAndWait({ task }, { result: Offer })
  console.log(result.airline, result.price)
} catch (error) {
  if (!(error instanceof ResultMismatchError)) throw error
  console.log("No offer, but you paid for this result:", error.run.result)
}
