<?php
// Sends an application and retries until there is a response: it is stored once, whatever the network does.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$auth = getenv('DOSSIER_AUTH_URL') ?: $url;
$client = (getenv('CLIENT_ID') ?: 'demo-board') . ':' . (getenv('CLIENT_SECRET') ?: 'demo-board-secret');
// One key per application, created once and stored with it, so that every retry sends the same key.
$key = getenv('KEY') ?: bin2hex(random_bytes(16));

$application = [
    'advertiserId' => 10000001,
    'jobAdId' => 32,
    'jobSeekerId' => 'user-4711',
    'contact' => ['email' => 'casey@example.com', 'firstName' => 'Casey', 'lastName' => 'Lim'],
];

function send(string $address, array $options): array
{
    for ($pause = 1; ; $pause = min(60, 2 * $pause)) {
        $wait = $pause;
        $curl = curl_init($address);
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 120,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$wait): int {
                sscanf(strtolower($line), 'retry-after: %d', $seconds);
                $wait = $seconds ?? $wait;
                return strlen($line);
            },
        ] + $options);
        $body = curl_exec($curl);
        // No response counts as 0: it may or may not be stored. The key makes it safe to send it again.
        $status = $body === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status >= 200 && $status < 300) {
            return json_decode($body, true);
        }
        $isInUse = str_contains((string) $body, '"idempotency-key-in-use"');
        if ($status !== 0 && $status !== 429 && $status < 500 && !$isInUse) {
            throw new RuntimeException("$status $body");
        }
        sleep($wait);
    }
}

$token = send("$auth/api/iam/oauth2/token", [
    CURLOPT_USERPWD => $client,
    CURLOPT_POSTFIELDS => http_build_query(['grant_type' => 'client_credentials', 'scope' => 'w_applications']),
])['access_token'];

$receipt = send("$url/v1/intake/applications", [
    CURLOPT_HTTPHEADER => ["Authorization: Bearer $token", "Idempotency-Key: $key"],
    // The JSON must come before the files.
    CURLOPT_POSTFIELDS => [
        'application' => json_encode($application),
        'resume' => new CURLStringFile("Casey Lim. Ten years behind an espresso machine.\n", 'resume.txt', 'text/plain'),
    ],
]);
echo json_encode($receipt), "\n";
