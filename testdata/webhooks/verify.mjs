// The sample in JavaScript of docs/WEBHOOKS.md. Run as a program it answers the integration test:
// for each line, a webhook in JSON, it prints ok or no.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";

function verify(secret, id, timestamp, signatures, body, now) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length === 0 || !/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) return false;
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const want = Buffer.from(`v1,${mac}`);
  return signatures.split(" ").some((text) => {
    const got = Buffer.from(text);
    return got.length === want.length && timingSafeEqual(got, want);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const w = JSON.parse(line);
  const body = Buffer.from(w.body_base64, "base64");
  console.log(verify(w.secret, w.id, w.timestamp, w.signature, body, w.now) ? "ok" : "no");
}
