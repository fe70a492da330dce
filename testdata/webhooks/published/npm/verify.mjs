// Asks the published library: for each line, a webhook in JSON, it prints ok or no.
import { createInterface } from "node:readline";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

for await (const line of createInterface({ input: process.stdin })) {
  const w = JSON.parse(line);
  const headers = { "webhook-id": w.id, "webhook-timestamp": w.timestamp, "webhook-signature": w.signature };
  try {
    new Webhook(w.secret).verify(Buffer.from(w.body_base64, "base64"), headers);
    console.log("ok");
  } catch (e) {
    if (!(e instanceof WebhookVerificationError)) throw e;
    console.log("no");
  }
}
