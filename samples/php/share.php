<?php
// Reads the profile that a candidate shares, and tells that the form was sent.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$auth = getenv('DOSSIER_AUTH_URL') ?: $url;
$client = (getenv('CLIENT_ID') ?: 'demo-ats') . ':' . (getenv('CLIENT_SECRET') ?: 'demo-ats-secret');
$redirectUri = getenv('REDIRECT_URI') ?: 'http://127.0.0.1:9090/callback';
$advertiserId = getenv('ADVERTISER_ID') ?: '10000001';
$code = getenv('CODE');

if ($code === false) {
    // A real page makes up a new state for each candidate, and compares what comes back.
    $query = http_build_query([
        'response_type' => 'code',
        'client_id' => strstr($client, ':', true),
        'redirect_uri' => $redirectUri,
        'scope' => 'r_profile_apply',
        'state' => 'demo',
        'advertiser_id' => $advertiserId,
    ]);
    echo "Open this, allow it, and run the program again with the code that you are sent back with as CODE:\n";
    echo "$auth/api/iam/oauth2/authorize?$query\n";
    exit;
}

function send(string $address, array $options): string
{
    $curl = curl_init($address);
    curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 60] + $options);
    $body = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($body === false || $status >= 300) {
        throw new RuntimeException("$address: $status $body");
    }
    return $body;
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

// A code buys one token: never repeat this call, send the candidate again instead.
$token = getToken(['grant_type' => 'authorization_code', 'code' => $code, 'redirect_uri' => $redirectUri]);

// This one may be repeated: it is the same prefilled application.
$profile = json_decode(call("$url/v2/applications/prefilled", $token, [
    'advertiserId' => $advertiserId,
    'applicationFormUrl' => 'https://careers.example.com/apply/7',
]), true);
echo json_encode($profile, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES), "\n";

if ($profile['resume'] !== null) {
    file_put_contents('resume', call($profile['resume']['link'], $token));
}

// When the candidate has sent your form. The token is your own, so this also works days later.
$own = getToken(['grant_type' => 'client_credentials']);
call($profile['complete'], $own, ['completionDate' => gmdate('Y-m-d\TH:i:s\Z')]);
echo "told that it was handed in\n";
