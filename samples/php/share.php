<?php
// Asks a candidate to share their profile, reads it, and reports that the form was submitted.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$auth = getenv('DOSSIER_AUTH_URL') ?: $url;
$client = (getenv('CLIENT_ID') ?: 'demo-ats') . ':' . (getenv('CLIENT_SECRET') ?: 'demo-ats-secret');
$redirectUri = getenv('REDIRECT_URI') ?: 'http://127.0.0.1:9090/callback';
$advertiserId = getenv('ADVERTISER_ID') ?: '10000001';

/** Waits for the candidate to come back. Any program on this machine can call this address, so only our state counts. */
function comeBack($server, string $path, string $state): array
{
    do {
        $connection = stream_socket_accept($server, 600) ?: throw new RuntimeException('no candidate came back');
        stream_set_timeout($connection, 2); // Browsers also open connections without sending anything.
        $target = explode(' ', (string) fgets($connection))[1] ?? '';
        while (trim((string) fgets($connection)) !== '');
        parse_str((string) parse_url($target, PHP_URL_QUERY), $answer);
        $isOurs = parse_url($target, PHP_URL_PATH) === $path && ($answer['state'] ?? '') === $state;
        $status = $isOurs ? '200 OK' : '400 Bad Request';
        $text = $isOurs ? 'Thank you. You can close this window.' : 'Not the answer we are waiting for.';
        fwrite($connection, "HTTP/1.1 $status\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n$text\n");
        fclose($connection);
    } while (!$isOurs);
    return $answer;
}

/** Waits as long as Retry-After says. A request without a response is not retried: see the exchange of the code. */
function send(string $address, array $options): string
{
    while (true) {
        $wait = null;
        $curl = curl_init($address);
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 60,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$wait): int {
                sscanf(strtolower($line), 'retry-after: %d', $seconds);
                $wait = $seconds ?? $wait;
                return strlen($line);
            },
        ] + $options);
        $body = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($body !== false && $status < 300) {
            return $body;
        }
        if ($wait === null || !in_array($status, [429, 503], true)) {
            throw new RuntimeException("$address: $status $body");
        }
        sleep($wait);
    }
}

function getToken(array $fields): string
{
    global $auth, $client;
    $answer = send("$auth/api/iam/oauth2/token", [
        CURLOPT_USERPWD => $client,
        CURLOPT_POSTFIELDS => http_build_query($fields),
    ]);
    return json_decode($answer, true)['access_token'];
}

function call(string $address, string $token, ?array $body = null): string
{
    $headers = ["Authorization: Bearer $token"];
    return send($address, $body === null ? [CURLOPT_HTTPHEADER => $headers] : [
        CURLOPT_HTTPHEADER => [...$headers, 'Content-Type: application/json'],
        CURLOPT_POSTFIELDS => json_encode($body),
    ]);
}

// A new state for each candidate ties the redirect to this request.
$state = bin2hex(random_bytes(16));
$query = http_build_query([
    'response_type' => 'code',
    'client_id' => strstr($client, ':', true),
    'redirect_uri' => $redirectUri,
    'scope' => 'r_profile_apply',
    'state' => $state,
    'advertiser_id' => $advertiserId,
]);
['host' => $host, 'port' => $port, 'path' => $path] = parse_url($redirectUri);
$server = stream_socket_server("tcp://$host:$port") ?: throw new RuntimeException("cannot listen on $redirectUri");
echo "Open this address in a browser, sign in and decide:\n$auth/api/iam/oauth2/authorize?$query\n";
$answer = comeBack($server, $path, $state);
// The issuer shows that the redirect comes from the server we asked.
if (!isset($answer['code']) || $answer['iss'] !== $auth) {
    throw new RuntimeException('nothing was shared: ' . json_encode($answer));
}

// A code buys one token: if you get no response, send the candidate again instead of repeating this call.
$token = getToken(['grant_type' => 'authorization_code', 'code' => $answer['code'], 'redirect_uri' => $redirectUri]);

// This call can be repeated: it returns the same prefilled application.
$profile = json_decode(call("$url/v2/applications/prefilled", $token, [
    'advertiserId' => $advertiserId,
    'applicationFormUrl' => 'https://careers.example.com/apply/7',
]), true);
echo json_encode($profile, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES), "\n";

if ($profile['resume'] !== null) {
    file_put_contents('resume', call($profile['resume']['link'], $token));
}

// Report completion when the candidate has submitted your form. The token is your own, without scope, so this works days later too.
$own = getToken(['grant_type' => 'client_credentials']);
call($profile['complete'], $own, ['completionDate' => gmdate('Y-m-d\TH:i:s\Z')]);
echo "reported as submitted\n";
