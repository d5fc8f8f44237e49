import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { InvalidWebhookError, unwrap, type WebhookHeaders } from "../src/Webhooks.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

const body = JSON.stringify({
  type: "run.completed",
  timestamp: "2026-11-28T09:30:00.000Z",
  data: { id: "r1", sessionId: "s1", status: "completed", error: null, cost: "0.0132", tags: ["ü"] }
})

const signed = (at = new Date(), by = secret, text = body) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": new Webhook(by).sign("msg_1", at, text)
})

const errorOf = (headers: WebhookHeaders, text: string = body, by: string | ReadonlyArray<string> = secret) => {
  try {
    unwrap(text, headers, by)
  } catch (error) {
    assert.instanceOf(error, InvalidWebhookError)
    return (error as Error).message
  }
  return assert.fail("It was accepted")
}

describe("unwrap", () => {
  it("returns the event, with headers in every form", () => {
    const headers = signed()
    const upper = { "Webhook-Id": headers["webhook-id"], "WEBHOOK-TIMESTAMP": headers["webhook-timestamp"] }
    for (const form of [
      headers,
      new Headers(headers),
      { ...upper, "Webhook-Signature": headers["webhook-signature"], accept: undefined, cookie: ["a", "b"] }
    ]) {
      const event = unwrap(body, form, secret)
      if (event.type !== "run.completed") return assert.fail(event.type)
      assert.deepStrictEqual([event.data.id, event.data.cost, event.data.tags], ["r1", "0.0132", ["ü"]])
    }
  })

  it("accepts a request that one of two secrets signed, on either side", () => {
    // one time for both: the signature has its seconds
    const at = new Date()
    const both = { ...signed(at), "webhook-signature": `${new Webhook(other).sign("msg_1", at, body)} v1,AAAA` }
    assert.strictEqual(unwrap(body, both, other).type, "run.completed")
    assert.strictEqual(unwrap(body, both, [secret, other]).type, "run.completed")
    assert.include(errorOf(both, body, [secret]), "No matching signature")
    assert.include(errorOf(both, body, []), "There is no secret")
  })

  it("refuses another body, secret or id", () => {
    assert.include(errorOf(signed(), body.replace("0.0132", "0.0133")), "No matching signature")
    assert.include(errorOf(signed(new Date(), other)), "No matching signature")
    assert.include(errorOf({ ...signed(), "webhook-id": "msg_2" }), "No matching signature")
  })

  it("refuses a request that is older or newer than five minutes", () => {
    const minutes = (count: number) => new Date(Date.now() + count * 60_000)
    assert.include(errorOf(signed(minutes(-6))), "too old")
    assert.include(errorOf(signed(minutes(6))), "too new")
    assert.strictEqual(unwrap(body, signed(minutes(-4)), secret).type, "run.completed")
  })

  it("names a missing header, and a body that was parsed", () => {
    const { "webhook-signature": _, ...unsigned } = signed()
    assert.strictEqual(errorOf(unsigned), "The request has no header webhook-signature.")
    assert.strictEqual(
      errorOf(signed(), JSON.parse(body) as string),
      "The body isn't a text. Pass the raw body, not the parsed one."
    )
  })
})
