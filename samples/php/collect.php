<?php
// Runs one round of a poller that never misses or repeats an application. Run it every minute.
// The store is the cursor: one line per application, and the last line says where to continue.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$credential = getenv('SWS_CREDENTIAL') ?: 'sws_demo_harbour';
$store = getenv('STORE') ?: 'applications';

/** Reading changes nothing, so every request that failed temporarily can be retried. */
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
        // Also false if the connection broke half-way.
        $body = curl_exec($curl);
        $status = $body === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $isHeld = str_contains((string) $body, '"not-yet-scanned"');
        $isPassing = $status === 0 || $status === 429 || ($status >= 500 && !$isHeld);
        if (!$isPassing || $attempt === $tries) {
            return [$status, $headers, (string) $body];
        }
        sleep((int) ($headers['retry-after'] ?? 2 ** ($attempt - 1)));
    }
}

/** Returns the name under which the file was sent, without anything that could lead out of its folder. */
function nameIn(string $disposition): string
{
    if (preg_match("/filename\*=UTF-8''([^;]*)/", $disposition, $encoded)) {
        $name = rawurldecode($encoded[1]);
    } else {
        preg_match('/filename=(?|"([^"]*)"|([^;]*))/', $disposition, $plain);
        $name = $plain[1] ?? '';
    }
    return preg_replace('~^\.+|[/\\\\:*?"<>|\x00-\x1f\x7f]~', '_', $name) ?: 'file';
}

@mkdir("$store/files", recursive: true);
$file = "$store/applications.ndjson";
$text = is_file($file) ? file_get_contents($file) : '';
$whole = substr($text, 0, (int) strrpos("\n$text", "\n"));
if ($whole !== $text) {
    file_put_contents($file, $whole); // A crash in the middle of a write leaves half a line, which does not count as stored.
}
$stored = array_map(fn ($line) => json_decode($line, true), array_filter(explode("\n", $whole)));

do {
    $after = $stored === [] ? 0 : end($stored)['ID'];
    [$status, $headers, $body] = ask("advertiser/applications?afterid=$after&limit=500");
    if ($status !== 200) {
        fwrite(STDERR, "$status $body\n");
        exit(1);
    }
    $page = json_decode($body, true)['JobApplications']['JobApplicationsList'];
    $lines = array_map(fn ($application) => json_encode($application) . "\n", $page);
    file_put_contents($file, implode('', $lines), FILE_APPEND | LOCK_EX);
    array_push($stored, ...$page);
    foreach ($page as ['ID' => $id, 'FirstName' => $first, 'LastName' => $last, 'Attachments' => $attachments]) {
        $types = array_map(fn ($each) => $each['Type'] . ($each['HasVirus'] ? ' (infected)' : ''), $attachments);
        echo "$id $first $last: ", implode(', ', $types) ?: 'no attachments', "\n";
    }
} while (str_contains($headers['link'] ?? '', 'rel="next"'));

// Files come after the list, so that one the virus scanner holds back does not delay the rest.
foreach ($stored as $application) {
    foreach ($application['Attachments'] as ['Type' => $type, 'Href' => $href, 'HasVirus' => $hasVirus]) {
        // Each file has its own folder: candidates choose the names, and two files may have the same one.
        $folder = "$store/files/{$application['ID']}-$type";
        if ($hasVirus || is_dir($folder)) {
            continue;
        }
        [$status, $headers, $body] = ask($href, 2);
        $isInfected = ($headers['x-has-virus'] ?? '') === 'true';
        $isGone = $status === 404 || ($status === 403 && str_contains($body, '"file-not-judged"'));
        if ($status !== 200 && !$isGone) {
            fwrite(STDERR, "$href: $status, trying again in the next round\n");
            continue;
        }
        // An empty folder means that there is nothing left to download.
        @mkdir("$folder.part");
        if ($isGone || $isInfected) {
            fwrite(STDERR, "$href: " . ($isInfected ? 'infected' : $status) . ", skipped\n");
        } else {
            file_put_contents("$folder.part/" . nameIn($headers['content-disposition'] ?? 'filename=screen.json'), $body);
        }
        rename("$folder.part", $folder);
    }
}
