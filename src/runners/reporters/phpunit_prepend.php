<?php
// Is loaded before PHPUnit (`auto_prepend_file`), opens the private channel, and makes our printer PHPUnit's. A child
// process of PHPUnit's loads it too and finds no address of a channel.

if (getenv('AGENT_ACCEPTANCE_CHANNEL') !== false) {
    // State lives in objects and a function's own variable: PHPUnit can save and restore globals and static attributes
    // around tests.
    function agent_acceptance_channel(?object $new = null): object
    {
        static $channel;
        return $channel ??= $new;
    }

    agent_acceptance_channel(new class(getenv('AGENT_ACCEPTANCE_CHANNEL')) {
        private $socket;
        private $owner;
        private $waiting = [];
        private $flushed;
        private $size = 1;
        private $number = 0;
        private $key;

        public function __construct(string $address)
        {
            putenv('AGENT_ACCEPTANCE_CHANNEL');
            unset($_SERVER['AGENT_ACCEPTANCE_CHANNEL'], $_ENV['AGENT_ACCEPTANCE_CHANNEL']);
            // It can be read once: what test code writes to the connection by itself has no seal.
            $keyFile = __DIR__ . '/channel-key';
            $this->key = file_get_contents($keyFile);
            unlink($keyFile);
            [$kind, $rest] = explode(':', $address, 2);
            $at = strrpos($rest, ':');
            $place = substr($rest, 0, $at);
            $where = $kind === 'unix' ? "unix://{$place}" : "tcp://127.0.0.1:{$place}";
            $this->socket = stream_socket_client($where);
            $this->owner = getmypid();
            $this->flushed = hrtime(true);
            $this->write('{"hello":"' . substr($rest, $at + 1) . '","sealed":true}' . "\n");
        }

        // Few tests are told one by one, so that a crash loses none of them; many would cost too much.
        public function expect(int $total): void
        {
            $this->size = $total < 500 ? 1 : 256;
        }

        public function putTest(array $record): void
        {
            $this->waiting[] = $record;
            if (count($this->waiting) >= $this->size || hrtime(true) - $this->flushed >= 200000000) {
                $this->flush();
            }
        }

        public function put(string $kind, $value): void
        {
            $this->flush();
            $this->send([$kind => $value]);
        }

        public function close(): void
        {
            $this->flush();
            if (getmypid() === $this->owner) {
                fclose($this->socket);
            }
            $this->socket = null;
        }

        // Text that fits into a record, cut at about 4 KiB.
        public static function text(string $text, int $limit = 4096): string
        {
            return strlen($text) > $limit ? substr($text, 0, $limit / 2) . "\n...\n" . substr($text, -$limit / 2) : $text;
        }

        private function flush(): void
        {
            if ($this->waiting !== []) {
                $this->send(['tests' => $this->waiting]);
                $this->waiting = [];
            }
            $this->flushed = hrtime(true);
        }

        // A forked child inherits the connection, and what it would tell is told by its parent already.
        private function send(array $record): void
        {
            if ($this->socket === null || getmypid() !== $this->owner) {
                return;
            }
            $flags = JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
            $line = json_encode($record, $flags);
            $code = hash_hmac('sha256', "{$this->number}:{$line}", $this->key);
            $this->number++;
            $this->write("{$code} {$line}\n");
        }

        private function write(string $line): void
        {
            while ($line !== '') {
                $written = @fwrite($this->socket, $line);
                if ($written === false || $written === 0) {
                    // The missing end record tells the reader.
                    $this->socket = null;
                    return;
                }
                $line = substr($line, $written);
            }
        }
    });

    // A file that cannot be loaded ends PHPUnit before it has a printer.
    register_shutdown_function(static function (): void {
        $error = error_get_last();
        if ($error !== null && ($error['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR)) !== 0) {
            $channel = agent_acceptance_channel();
            // PHPUnit wraps the error in one of its own.
            $file = preg_match('/ in (\S+\.php):\d+/', $error['message'], $found) === 1 ? $found[1] : $error['file'];
            $channel->put('load', ['file' => $file, 'message' => $channel::text($error['message'])]);
        }
    });

    spl_autoload_register(static function (string $class): void {
        if ($class === 'PHPUnit\TextUI\Command') {
            // Tests see the arguments as they were: it is taken away again when PHPUnit has read it.
            array_splice($_SERVER['argv'], 1, 0, ['--printer=AgentAcceptancePrinter']);
        } elseif ($class === 'AgentAcceptancePrinter') {
            array_splice($_SERVER['argv'], 1, 1);
            require __DIR__ . '/phpunit_printer.php';
        }
    }, true, true);
}
