// The sample in Java of docs/WEBHOOKS.md. Run as a program (java Verify.java) it answers the
// integration test: for each line, a webhook in JSON, it prints ok or no.

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verify {
    // Enough JSON for the test: one flat object, whose texts have no escapes.
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":\"?((?<=\")[^\"]*|\\d+)");

    static boolean verify(String secret, String id, String timestamp, String signatures, byte[] body, long now)
            throws GeneralSecurityException {
        byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        if (key.length == 0 || !timestamp.matches("\\d{1,18}") || Math.abs(now - Long.parseLong(timestamp)) > 300) {
            return false;
        }
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
        String want = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        for (String got : signatures.split(" ")) {
            if (MessageDigest.isEqual(want.getBytes(UTF_8), got.getBytes(UTF_8))) {
                return true;
            }
        }
        return false;
    }

    public static void main(String[] args) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            var w = new HashMap<String, String>();
            FIELD.matcher(line).results().forEach(m -> w.put(m.group(1), m.group(2)));
            byte[] body = Base64.getDecoder().decode(w.get("body_base64"));
            boolean ok = verify(w.get("secret"), w.get("id"), w.get("timestamp"), w.get("signature"), body, Long.parseLong(w.get("now")));
            System.out.println(ok ? "ok" : "no");
        }
    }
}
