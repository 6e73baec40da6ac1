<?php
// PHPUnit's printer, for 9: prints as PHPUnit's own does, and tells each test's result over the private channel.

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Test;
use PHPUnit\Framework\TestCase;
use PHPUnit\Framework\TestResult;
use PHPUnit\Framework\TestSuite;
use PHPUnit\Framework\Warning;

final class AgentAcceptancePrinter extends PHPUnit\TextUI\DefaultResultPrinter
{
    private $places;
    private $total = 0;
    private $outcome;
    private $hasStarted = false;
    private $risky = 0;

    public function __construct(...$arguments)
    {
        parent::__construct(...$arguments);
        $this->places = new SplObjectStorage();
        agent_acceptance_channel()->put('start', ['runner' => 'phpunit', 'version' => PHPUnit\Runner\Version::id()]);
    }

    public function startTestSuite(TestSuite $suite): void
    {
        if (!$this->hasStarted) {
            $this->hasStarted = true;
            $this->announce($suite);
        }
        parent::startTestSuite($suite);
    }

    public function startTest(Test $test): void
    {
        $this->outcome = null;
        parent::startTest($test);
    }

    public function addError(Test $test, Throwable $t, float $time): void
    {
        $this->note('failed', $t);
        parent::addError($test, $t, $time);
    }

    public function addFailure(Test $test, AssertionFailedError $e, float $time): void
    {
        $this->note('failed', $e);
        parent::addFailure($test, $e, $time);
    }

    public function addWarning(Test $test, Warning $e, float $time): void
    {
        $this->note('failed', $e);
        parent::addWarning($test, $e, $time);
    }

    public function addIncompleteTest(Test $test, Throwable $t, float $time): void
    {
        $this->note('todo', $t);
        parent::addIncompleteTest($test, $t, $time);
    }

    public function addSkippedTest(Test $test, Throwable $t, float $time): void
    {
        $this->note('skipped', $t);
        parent::addSkippedTest($test, $t, $time);
    }

    public function addRiskyTest(Test $test, Throwable $t, float $time): void
    {
        $this->risky++;
        parent::addRiskyTest($test, $t, $time);
    }

    public function endTest(Test $test, float $time): void
    {
        [$status, $error] = $this->outcome ?? ['passed', null];
        $this->outcome = null;
        $this->tell($test, $status, $error);
        parent::endTest($test, $time);
    }

    public function printResult(TestResult $result): void
    {
        $channel = agent_acceptance_channel();
        foreach ($this->places as $test) {
            if ($this->places[$test] !== null) {
                $this->tell($test, 'unfinished', null);
            }
        }
        if ($this->risky > 0) {
            $channel->put('note', "PHPUnit calls {$this->risky} of the tests risky, such as for testing nothing");
        }
        foreach (array_chunk($this->loaded(), 1000) as $files) {
            $channel->put('loaded', $files);
        }
        $channel->put('end', ['total' => $this->total]);
        $channel->close();
        parent::printResult($result);
    }

    private function announce(TestSuite $suite): void
    {
        $counts = [];
        foreach ($this->each($suite) as $test) {
            $file = $this->fileOf($test);
            $key = (string) $file;
            $counts[$key] = $counts[$key] ?? 0;
            $this->places[$test] = $counts[$key]++;
        }
        agent_acceptance_channel()->expect(array_sum($counts));
        foreach ($counts as $file => $count) {
            if ($file !== '') {
                agent_acceptance_channel()->put('expected', ['file' => (string) $file, 'count' => $count]);
            }
        }
    }

    private function each(TestSuite $suite): Generator
    {
        foreach ($suite as $test) {
            if ($test instanceof TestSuite) {
                yield from $this->each($test);
            } else {
                yield $test;
            }
        }
    }

    // The worst outcome is the test's.
    private function note(string $status, Throwable $error): void
    {
        $order = ['skipped', 'todo', 'failed'];
        if ($this->outcome === null || array_search($status, $order) > array_search($this->outcome[0], $order)) {
            $this->outcome = [$status, $error];
        }
    }

    private function tell(Test $test, string $status, ?Throwable $error): void
    {
        $channel = agent_acceptance_channel();
        $said = $error === null ? null : trim($this->classOf($error) . ': ' . $error->getMessage());
        $names = $this->namesOf($test);
        if (!$this->places->contains($test) || $this->places[$test] === null) {
            $what = $this->places->contains($test) ? 'a second result of ' : 'a result that was not announced: ';
            $channel->put('unhandled', [$channel::text($what . implode(' > ', $names) . ': ' . ($said ?? $status))]);
            return;
        }
        $record = ['path' => $names, 'at' => $this->places[$test], 'status' => $status];
        $this->places[$test] = null;
        $this->total++;
        $file = $this->fileOf($test);
        if ($file !== null) {
            $record['file'] = $file;
        }
        if ($test instanceof TestCase && $file !== null && $test->usesDataProvider()) {
            $record['group'] = $test->getName(false);
        }
        if ($status !== 'passed' && $said !== null) {
            $record['message'] = $channel::text($said);
            $line = $this->lineOf($error, $file);
            if ($line !== null) {
                $record['line'] = $line;
            }
        }
        $channel->putTest($record);
    }

    private function classOf(Throwable $error): string
    {
        return $error instanceof PHPUnit\Framework\ExceptionWrapper ? $error->getClassName() : get_class($error);
    }

    // PHPUnit puts tests of its own in place of what it cannot run.
    private function isOfPhpunit(Test $test): bool
    {
        return strpos(get_class($test), 'PHPUnit\\') === 0;
    }

    private function fileOf(Test $test): ?string
    {
        if ($test instanceof PHPUnit\Runner\PhptTestCase) {
            return $test->getName();
        }
        if ($this->isOfPhpunit($test)) {
            return null;
        }
        $file = (new ReflectionClass($test))->getFileName();
        return $file === false ? null : $file;
    }

    private function namesOf(Test $test): array
    {
        if ($test instanceof PHPUnit\Runner\PhptTestCase) {
            return [basename($test->getName())];
        }
        if (!$test instanceof TestCase || $this->isOfPhpunit($test)) {
            return [agent_acceptance_channel()::text(PHPUnit\Util\Test::describeAsString($test), 65536)];
        }
        return [get_class($test), agent_acceptance_channel()::text($test->getName(), 65536)];
    }

    private function lineOf(?Throwable $error, ?string $file): ?int
    {
        if ($error === null || $file === null) {
            return null;
        }
        $frames = array_merge([['file' => $error->getFile(), 'line' => $error->getLine()]], $error->getTrace());
        foreach ($frames as $frame) {
            if (($frame['file'] ?? null) === $file) {
                return $frame['line'];
            }
        }
        return null;
    }

    private function loaded(): array
    {
        $own = [__FILE__, __DIR__ . '/phpunit_prepend.php'];
        return array_values(array_filter(get_included_files(), static function ($file) use ($own) {
            return !in_array($file, $own, true);
        }));
    }
}
