<?php
// phpredis_test.php SERVER: PhpRedis of Debian's php-redis. PHP has no threads, so whoever waits is a process of its own.
declare(strict_types=1);

if (!extension_loaded('redis')) {
    echo "skipped: php-redis is not installed\n";
    exit(0);
}

const HOST = '127.0.0.1';

/** A free port, as far as that can be known. */
function free_port(): int
{
    $probe = stream_socket_server('tcp://' . HOST . ':0');
    $name = stream_socket_get_name($probe, false);
    fclose($probe);
    return (int) substr($name, strrpos($name, ':') + 1);
}

/** Runs the server until stop(); null when somebody else took the port. */
function start(string $program, int $port)
{
    $words = ['setpriv', '--pdeathsig', 'TERM', $program, '--port', (string) $port, '--bind', HOST, '--save', ''];
    $process = proc_open($words, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
    while (($line = fgets($pipes[1])) !== false) {
        if (str_contains($line, 'Ready to accept connections')) {
            return [$process, $pipes[1]];
        }
    }
    proc_close($process);
    return null;
}

function connect(): Redis
{
    $client = new Redis();
    $client->connect(HOST, (int) getenv('FAIRLANE_TEST_PORT'), 5.0);
    return $client;
}

$failures = 0;
function same(string $what, $expected, $actual): void
{
    global $failures;
    if ($expected === $actual) {
        return;
    }
    ++$failures;
    echo "$what\n  expected ", var_export($expected, true), "\n  but was  ", var_export($actual, true), "\n";
}

/** Another process that does something to the same server, and what it prints. */
function beside(string $code)
{
    $words = [PHP_BINARY, '-r', '$client = new Redis(); $client->connect("' . HOST . '", ' .
        getenv('FAIRLANE_TEST_PORT') . ', 5.0); $client->setOption(Redis::OPT_READ_TIMEOUT, 10); ' . $code];
    $process = proc_open($words, [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR], $pipes);
    return function () use ($process, $pipes): string {
        $said = stream_get_contents($pipes[1]);
        proc_close($process);
        return $said;
    };
}

/** Until somebody waits in a command of this name. */
function wait_for(Redis $client, string $command): void
{
    do {
        $waiting = array_filter($client->client('list'), fn($one) => $one['cmd'] === $command);
    } while (count($waiting) === 0);
}

function pipelines(Redis $client): void
{
    $pipeline = $client->multi(Redis::PIPELINE)->set('k', '1');
    for ($i = 0; $i < 1000; ++$i) {
        $pipeline->incr('k');
    }
    $replies = $pipeline->get('k')->exec();
    same('replies of a pipeline come in order', [true, 2, 1001, '1001'], [$replies[0], $replies[1], $replies[1000], $replies[1001]]);
}

function transactions(Redis $client): void
{
    same('a transaction commits', [true, 2], $client->multi()->set('t', '1')->incr('t')->exec());
    $client->watch('t');
    connect()->set('t', '10');
    same('a watched key that changed aborts', false, $client->multi()->incr('t')->exec());
    same('and nothing was done', '10', $client->get('t'));
    same('an error inside', [true, false], $client->multi()->set('t', 'text')->lPush('t', 'x')->exec());
    // This PhpRedis leaves a NUL behind it.
    same('its text', 'WRONGTYPE Operation against a key holding the wrong kind of value', rtrim($client->getLastError(), "\0"));
}

function waiting(Redis $client): void
{
    $popped = beside('echo json_encode($client->blPop(["l"], 10));');
    wait_for($client, 'blpop');
    $client->rPush('l', 'job');
    same('a blocked reader is served', '["l","job"]', $popped());
    same('a wait that ends with nothing', [], $client->brPop(['l'], 1));
}

function messages(Redis $client): void
{
    $heard = beside('$client->subscribe(["news"], function ($client, $channel, $text) {
        echo "$channel $text\n"; if ($text === "end") exit(0); });');
    while ($client->publish('news', 'first') === 0) {
    }
    $client->publish('news', 'end');
    same('messages arrive', "news first\nnews end\n", $heard());
}

function streams(Redis $client): void
{
    same('a group', true, $client->xGroup('CREATE', 's', 'g', '$', true));
    $ids = array_map(fn($n) => $client->xAdd('s', '*', ['n' => (string) $n]), [0, 1, 2]);
    $read = $client->xReadGroup('g', 'first', ['s' => '>'], 2);
    same('entries read', ['s' => [$ids[0] => ['n' => '0'], $ids[1] => ['n' => '1']]], $read);
    same('acknowledged', 1, $client->xAck('s', 'g', [$ids[0]]));
    same('pending', [1, $ids[1], $ids[1], [['first', '1']]], $client->xPending('s', 'g'));
    same('claimed', [$ids[1] => ['n' => '1']], $client->xClaim('s', 'g', 'second', 0, [$ids[1]], []));
    same('range', array_reverse($ids), array_keys($client->xRevRange('s', '+', '-')));
    $arrived = beside('echo json_encode(array_values($client->xRead(["s" => "$"], 1, 10000)["s"])[0]);');
    wait_for($client, 'xread');
    $client->xAdd('s', '*', ['n' => 'last']);
    same('a blocked reader of a stream', '{"n":"last"}', $arrived());
}

function walks(Redis $client): void
{
    $names = array_map(fn($n) => "key:$n", range(0, 2999));
    $client->mSet(array_fill_keys($names, 'x'));
    $client->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
    $seen = [];
    $cursor = null;
    while (($some = $client->scan($cursor, 'key:*', 100)) !== false) {
        $seen = array_merge($seen, $some);
    }
    same('a walk sees every key', count($names), count(array_unique($seen)));
    $client->hMSet('hash', array_fill_keys($names, 'x'));
    $fields = [];
    $cursor = null;
    while (($some = $client->hScan('hash', $cursor)) !== false) {
        $fields += $some;
    }
    same('and every field', count($names), count($fields));
}

function others(Redis $client): void
{
    same('a script', ['k', 42], $client->eval('return {KEYS[1], tonumber(ARGV[1]) + 1}', ['k', 41], 1));
    same('an unknown script', false, $client->evalSha(str_repeat('0', 40)));
    same('its error', 'NOSCRIPT No matching script. Please use EVAL.', rtrim($client->getLastError(), "\0"));
    $client->clearLastError();
    $client->zAdd('z', 1, 'a', 2.5, 'b');
    same('scores', ['a' => 1.0, 'b' => 2.5], $client->zRange('z', 0, -1, true));
    same('the first of a sorted set', ['a' => 1.0], $client->zPopMin('z'));
    $client->geoadd('places', 13.361389, 38.115556, 'Palermo', 15.087269, 37.502669, 'Catania');
    same('a distance', 166274.1516, $client->geodist('places', 'Palermo', 'Catania'));
    $client->pfAdd('sketch', ['a', 'b', 'c']);
    same('a sketch', 3, $client->pfCount('sketch'));
    $client->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
    $client->set('value', ['list' => [1, 2], 'text' => 'x']);
    same('values of PHP', ['list' => [1, 2], 'text' => 'x'], $client->get('value'));
}

for ($attempt = 0, $server = null; $attempt < 5 && $server === null; ++$attempt) {
    $port = free_port();
    $server = start($argv[1], $port);
}
if ($server === null) {
    fwrite(STDERR, "the server does not start\n");
    exit(1);
}
putenv("FAIRLANE_TEST_PORT=$port");
foreach (['pipelines', 'transactions', 'waiting', 'messages', 'streams', 'walks', 'others'] as $flow) {
    $client = connect();
    $client->flushAll();
    $flow($client);
    $client->close();
    echo "$flow: done\n";
}
proc_terminate($server[0]);
stream_get_contents($server[1]);
$status = proc_close($server[0]);
same('the server ends well', 0, $status);
exit($failures === 0 ? 0 : 1);
