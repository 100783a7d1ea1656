<?php
// Follows what happens to an advertiser, without gap or repetition, until you stop it.
// The store is the cursor: each answer with events is a file, and the newest one says where to continue.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$credential = getenv('SWS_CREDENTIAL') ?: 'sws_demo_harbour';
$store = getenv('STORE') ?: 'events';

/** Returns status 0 if there is no response. */
function ask(string $cursor): array
{
    global $url, $credential, $last;
    $wait = 1;
    $curl = curl_init("$url/v1/advertiser/events?cursor=$cursor&wait=" . ($last === 0 ? 0 : 45));
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 60,
        CURLOPT_HTTPHEADER => ["Authorization: SWS $credential"],
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$wait): int {
            sscanf(strtolower($line), 'retry-after: %d', $seconds);
            $wait = $seconds ?? $wait;
            return strlen($line);
        },
    ]);
    $body = curl_exec($curl);
    $status = $body === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return [$status, (string) $body, $wait];
}

@mkdir($store, recursive: true);
$last = max([0, ...array_map(fn ($file) => (int) basename($file), glob("$store/*.json"))]);
$cursor = $last > 0 ? json_decode(file_get_contents("$store/$last.json"), true)['cursor'] : 'now';

while (true) {
    [$status, $body, $wait] = ask($cursor);
    if ($status === 410) {
        fwrite(STDERR, "Some events are no longer kept: read the list of applications once.\n");
        $cursor = 'start';
    } elseif ($status === 0 || $status === 429 || $status >= 500) {
        sleep($wait);
    } elseif ($status !== 200) {
        fwrite(STDERR, "$status $body\n");
        exit(1);
    } else {
        $page = json_decode($body, true);
        // Nothing has happened. The first answer, which comes at once, is stored all the same: following begins there.
        if ($page['events'] === [] && $last > 0) {
            sleep(1);
            continue;
        }
        $last++;
        // A rename is atomic: events and cursor are stored in one step.
        file_put_contents("$store/new", $body);
        rename("$store/new", "$store/$last.json");
        $cursor = $page['cursor'];
        foreach ($page['events'] as ['id' => $id, 'type' => $type]) {
            echo "$id $type\n";
        }
    }
}
