<?php
// The sample in PHP of docs/WEBHOOKS.md. Run as a program it answers the integration test: for each
// line, a webhook in JSON, it prints ok or no.

declare(strict_types=1);

function verify(string $secret, string $id, string $timestamp, string $signatures, string $body, int $now): bool
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    $sent = filter_var($timestamp, FILTER_VALIDATE_INT);
    if ($key === false || $key === '' || $sent === false || abs($now - $sent) > 300) {
        return false;
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $got) {
        if (hash_equals($want, $got)) {
            return true;
        }
    }
    return false;
}

while (($line = fgets(STDIN)) !== false) {
    $w = json_decode($line, flags: JSON_THROW_ON_ERROR);
    $body = base64_decode($w->body_base64, true);
    echo verify($w->secret, $w->id, $w->timestamp, $w->signature, $body, $w->now) ? "ok\n" : "no\n";
}
