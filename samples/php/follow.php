<?php
// Follows what happens to an advertiser, without gap or repetition, until you stop it.
// The store is the cursor: each answer with events is a file, and the newest one says where to continue.
declare(strict_types=1);

$url = getenv('DOSSIER_URL') ?: 'http://localhost:8080';
$credential = getenv('SWS_CREDENTIAL') ?: 'sws_demo_harbour';
$store = getenv('STORE') ?: 'events';
// Reported back for each new application, such as viewed.
$state = getenv('REPORT') ?: null;

/** Returns status 0 if there is no response. */
function send(string $path, ?array $body = null): array
{
    global $url, $credential;
    $wait = 1;
    $curl = curl_init($url . $path);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 60,
        CURLOPT_HTTPHEADER => ["Authorization: SWS $credential", 'Content-Type: application/json'],
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$wait): int {
            sscanf(strtolower($line), 'retry-after: %d', $seconds);
            $wait = $seconds ?? $wait;
            return strlen($line);
        },
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
    }
    $answer = curl_exec($curl);
    $status = $answer === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    return [$status, (string) $answer, $wait];
}

function ask(string $cursor): array
{
    global $last;
    return send("/v1/advertiser/events?cursor=$cursor&wait=" . ($last === 0 ? 0 : 45));
}

/** Repeats until there is an answer: a report that arrives twice changes nothing. */
function report(array $events): void
{
    global $state;
    $entries = [];
    foreach ($events as ['type' => $type, 'timestamp' => $at, 'data' => $data]) {
        if ($type === 'application.created') {
            $entries[] = ['applicationId' => $data['applicationId'], 'state' => $state, 'at' => $at];
        }
    }
    while ($state !== null && $entries !== []) {
        [$status, $body, $wait] = send('/v1/advertiser/progress', ['entries' => $entries]);
        if ($status === 200) {
            return;
        }
        if ($status !== 0 && $status !== 429 && $status < 500) {
            fwrite(STDERR, "$status $body\n");
            exit(1);
        }
        sleep($wait);
    }
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
        report($page['events']);
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
