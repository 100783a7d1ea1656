<?php
// One round of a poller that never misses or repeats one: start it every minute.
// The store is the cursor: a line for each application, and the last line says where to go on.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$credential = getenv('SWS_CREDENTIAL') ?: 'sws_demo_harbour';
$store = getenv('STORE') ?: 'applications';

/** Reading changes nothing here, so whatever failed for a while is simply asked again. */
function ask(string $path, int $tries = 8): array
{
    global $url, $credential;
    for ($attempt = 1; ; $attempt++) {
        $headers = [];
        $curl = curl_init("$url/v1/$path");
        curl_setopt_array($curl, [
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 60,
            CURLOPT_HTTPHEADER => ["Authorization: SWS $credential"],
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$headers): int {
                [$name, $value] = array_pad(explode(':', $line, 2), 2, '');
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        // False also when the connection broke half-way.
        $body = curl_exec($curl);
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $isPassing = $body === false || $status === 429 || $status >= 500;
        if (!$isPassing || $attempt === $tries) {
            return [$body === false ? 0 : $status, $headers, (string) $body];
        }
        sleep((int) ($headers['retry-after'] ?? 2 ** ($attempt - 1)));
    }
}

@mkdir("$store/files", recursive: true);
$file = "$store/applications.ndjson";
$text = is_file($file) ? file_get_contents($file) : '';
$whole = substr($text, 0, (int) strrpos("\n$text", "\n"));
if ($whole !== $text) {
    file_put_contents($file, $whole); // What a crash left half-written was never stored.
}
$stored = array_map(fn ($line) => json_decode($line, true), array_filter(explode("\n", $whole)));

do {
    $after = $stored === [] ? 0 : end($stored)['ID'];
    [$status, $headers, $body] = ask("advertiser/applications?afterid=$after&limit=500");
    if ($status !== 200) {
        exit("$status $body\n");
    }
    $page = json_decode($body, true)['JobApplications']['JobApplicationsList'];
    $lines = array_map(fn ($application) => json_encode($application) . "\n", $page);
    file_put_contents($file, implode('', $lines), FILE_APPEND | LOCK_EX);
    array_push($stored, ...$page);
    if ($page !== []) {
        echo 'stored up to ', end($page)['ID'], "\n";
    }
} while (str_contains($headers['link'] ?? '', 'rel="next"'));

// Files come after: one that is held by the virus scanner must not hold up the rest.
foreach ($stored as $application) {
    foreach ($application['Attachments'] as ['Type' => $type, 'Href' => $href]) {
        $path = "$store/files/{$application['ID']}-$type";
        if (is_file($path)) {
            continue;
        }
        [$status, $headers, $body] = ask($href, 1);
        if ($status !== 200) {
            fwrite(STDERR, "$href: $status, in the next round\n");
            continue;
        }
        if (($headers['x-has-virus'] ?? '') === 'true') {
            fwrite(STDERR, "$href: was infected, and has no content\n");
        }
        file_put_contents("$path.part", $body);
        rename("$path.part", $path);
    }
}
