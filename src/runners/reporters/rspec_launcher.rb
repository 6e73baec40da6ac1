# Runs rspec with a formatter of ours, which tells each example's result over the private channel.
# Arguments: the path that `$0` is to have, then rspec's own.
require 'socket'
require 'digest'

# The channel. What is called later is held here as method objects: examples replace methods of modules (a frozen
# clock, a fake `Process`), and must not reach the ones that the records depend on.
class AgentAcceptanceChannel
  CLOCK = Process.method(:clock_gettime)
  PROCESS = Process.method(:pid)
  WRITE = BasicSocket.instance_method(:write)
  DIGEST = Digest::SHA256.method(:digest)
  private_constant :CLOCK, :PROCESS, :WRITE, :DIGEST

  def initialize(address)
    # It can be read once: what test code writes to the connection by itself has no seal.
    key_file = File.join(__dir__, 'channel-key')
    key = File.binread(key_file)
    File.unlink(key_file)
    @inner, @outer = [0x36, 0x5c].map { |pad| key.bytes.map { |byte| byte ^ pad }.pack('C*') }
    kind, rest = address.split(':', 2)
    place, _, nonce = rest.rpartition(':')
    @socket = kind == 'unix' ? UNIXSocket.new(place) : TCPSocket.new('127.0.0.1', Integer(place))
    @write = WRITE.bind(@socket)
    @owner = PROCESS.call
    @waiting = []
    @flushed = now
    @size = 1
    @number = 0
    @write.call("{\"hello\":\"#{nonce}\",\"sealed\":true}\n")
  end

  # Few tests are told one by one, so that a crash loses none of them; many would cost too much.
  def expect(total)
    @size = total < 500 ? 1 : 256
  end

  def put_test(record)
    @waiting << record
    flush if @waiting.size >= @size || now - @flushed >= 0.2
  end

  def put(kind, value)
    flush
    send_line({ kind => value })
  end

  def flush
    waiting, @waiting = @waiting, []
    send_line({ tests: waiting }) unless waiting.empty?
    @flushed = now
  end

  def close
    flush
    @socket.close if PROCESS.call == @owner
  end

  # Text that fits into a record, cut at about 4 KiB.
  def self.text(value, limit = 4096)
    text = value.to_s.encode('UTF-8', invalid: :replace, undef: :replace).scrub
    text.size > limit ? "#{text[0, limit / 2]}\n...\n#{text[-limit / 2, limit / 2]}" : text
  rescue StandardError
    '?'
  end

  private

  def now
    CLOCK.call(Process::CLOCK_MONOTONIC)
  end

  # A forked child inherits the connection, and what it would tell is told by its parent already.
  def send_line(record)
    return if PROCESS.call != @owner

    line = json(record).b
    inner = DIGEST.call("#{@inner}#{"#{@number}:".b}#{line}")
    code = DIGEST.call("#{@outer}#{inner}").unpack1('H*')
    @number += 1
    @write.call("#{code} #{line}\n")
  rescue SystemCallError, IOError
    # The missing end record tells the reader.
    nil
  end

  # Not the library of that name: loading it would choose its version for the project, and examples may replace it.
  def json(value)
    case value
    when Hash then "{#{value.map { |key, item| "#{json(key.to_s)}:#{json(item)}" }.join(',')}}"
    when Array then "[#{value.map { |item| json(item) }.join(',')}]"
    when Integer, true, false then value.to_s
    when nil then 'null'
    else
      "\"#{value.to_s.gsub(/["\\\u0000-\u001f]/) { |character| format('\\u%04x', character.ord) }}\""
    end
  end
end

channel = AgentAcceptanceChannel.new(ENV.delete('AGENT_ACCEPTANCE_CHANNEL'))
$PROGRAM_NAME = ARGV.shift
require 'rspec/core'

class AgentAcceptanceFormatter
  EVENTS = %i[start message example_passed example_failed example_pending dump_summary].freeze
  RSpec::Core::Formatters.register self, *EVENTS
  WATCHED = [
    [RSpec::Core::Example, %i[run finish start set_exception record_finished run_before_example verify_mocks]],
    [RSpec::Core::Reporter, %i[example_passed example_failed example_pending notify notify_non_example_exception report]],
    [RSpec::Core::ExampleGroup.singleton_class, %i[run run_examples]],
    [RSpec::Core::Runner, %i[run run_specs exit_code]]
  ].freeze
  private_constant :EVENTS, :WATCHED

  class << self
    attr_accessor :channel, :current
  end

  attr_reader :total

  def initialize(_output)
    self.class.current = self
    @channel = self.class.channel
    @places = {}.compare_by_identity
    @told = {}.compare_by_identity
    @messages = []
    @total = 0
    @known = code_of_the_runner
    @has_dry_run = false
  end

  def start(_notification)
    world = RSpec.world
    groups = world.example_groups.flat_map(&:descendants)
    wanted = groups.flat_map { |group| world.filtered_examples[group] }
    silenced = has_focus? ? groups.flat_map(&:examples) - wanted : []
    examples = (wanted + silenced).sort_by.with_index { |example, index| [scope_of(example), index] }
    counts = Hash.new(0)
    examples.each do |example|
      file = file_of(example)
      @places[example] = [file, counts[file]]
      counts[file] += 1
    end
    @channel.expect(examples.size)
    counts.each { |file, count| @channel.put(:expected, { file: text(file), count: count }) }
    silenced.each { |example| tell(example, 'skipped', 'another example has the focus') }
  end

  # What goes wrong outside of examples is told as text alone.
  def message(notification)
    @messages << notification.message.to_s if @messages.size < 1000
  end

  def example_passed(notification)
    example = notification.example
    # rspec-retry keeps what went wrong before.
    retried = Array(example.metadata[:retry_exceptions])
    tell(example, retried.empty? ? 'passed' : 'flaky', retried.first)
  end

  def example_failed(notification)
    example = notification.example
    result = example.execution_result
    status = result.pending_fixed? ? 'unexpected_pass' : 'failed'
    tell(example, status, result.exception)
  end

  def example_pending(notification)
    example = notification.example
    result = example.execution_result
    status =
      if result.pending_exception then 'expected_failure'
      elsif result.pending_message == RSpec::Core::Pending::NOT_YET_IMPLEMENTED then 'todo'
      else 'skipped'
      end
    tell(example, status, result.pending_message)
  end

  def dump_summary(summary)
    count = summary.respond_to?(:errors_outside_of_examples_count) ? summary.errors_outside_of_examples_count : 0
    return if count.zero?

    @messages << 'an error outside of the examples' if @messages.empty?
    @messages.each { |message| tell_message(message) }
    @messages = []
  end

  def finish
    (@places.keys - @told.keys).each { |example| tell(example, 'unfinished', 'it was not run') }
    @channel.put(:unhandled, ['the run was a dry one, which runs no example']) if @has_dry_run
    code_of_the_runner.each do |name, method|
      next if @known[name] == method

      @channel.put(:unhandled, ["rspec's own code was changed while examples ran: #{name}"])
    end
  end

  private

  def text(value)
    AgentAcceptanceChannel.text(value)
  end

  def has_focus?
    %i[focus focused].any? { |tag| RSpec.configuration.inclusion_filter.rules.key?(tag) }
  end

  def file_of(example)
    File.expand_path(example.metadata[:rerun_file_path] || example.metadata[:file_path])
  end

  # Where it is defined: examples are run in an order of their own.
  def scope_of(example)
    example.metadata[:scoped_id].to_s.split(':').map(&:to_i)
  end

  def names_of(example)
    parents = example.example_group.parent_groups.reverse.map(&:description)
    [*parents, example.description].map { |name| AgentAcceptanceChannel.text(name, 65_536) }
  end

  def tell(example, status, message)
    @has_dry_run ||= RSpec.configuration.dry_run?
    unless @places.key?(example)
      @channel.put(:unhandled, ["a result of an example that was not announced: #{text(example.full_description)}"])
      return
    end
    if @told.key?(example)
      @channel.put(:unhandled, ["a second result of #{text(example.full_description)}"])
      return
    end
    @told[example] = true
    @total += 1
    file, at = @places[example]
    record = { file: text(file), path: names_of(example), at: at, status: status }
    unless status == 'passed'
      record[:message] = text(said(message)) if message
      line = line_of(message, file)
      record[:line] = line if line
    end
    @channel.put_test(record)
  end

  def said(error)
    error.is_a?(Exception) ? "#{error.class}: #{error.message.strip}" : error
  end

  def line_of(error, file)
    return unless error.is_a?(Exception)

    place = Array(error.backtrace).find { |entry| entry.start_with?("#{file}:") }
    place && place[file.size + 1..].to_i
  end

  def tell_message(message)
    file = message[/An error occurred while loading (.+?)\.(?: - Did you mean.*)?$/, 1]
    if file
      @channel.put(:load, { file: text(File.expand_path(file)), message: text(message.strip) })
    else
      @channel.put(:unhandled, [text(message.strip)])
    end
  end

  def code_of_the_runner
    WATCHED.flat_map do |owner, names|
      names.filter_map do |name|
        next unless owner.method_defined?(name) || owner.private_method_defined?(name)

        ["#{owner}##{name}", owner.instance_method(name)]
      end
    end.to_h
  end
end

# Files of Ruby itself and of installed gems are not the project's.
def channel.loaded
  folders = [*Gem.path, *RbConfig::CONFIG.values_at(*%w[rubylibprefix archdir vendordir sitedir vendorarchdir sitearchdir])]
  installed = folders.compact.select { |folder| File.directory?(folder) }.map { |folder| "#{File.realpath(folder)}/" }
  specs = RSpec.configuration.respond_to?(:loaded_spec_files) ? RSpec.configuration.loaded_spec_files.to_a : []
  files = [*$LOADED_FEATURES, *specs].select { |file| File.file?(file) }.map { |file| File.realpath(file) }.uniq
  files.reject { |file| file == File.realpath(__FILE__) || file.start_with?(*installed) }
end

AgentAcceptanceFormatter.channel = channel
channel.put(:start, { runner: 'rspec', version: RSpec::Core::Version::STRING })
RSpec::Core::Runner.disable_autorun!
RSpec.configuration.add_formatter(AgentAcceptanceFormatter)
formatter = AgentAcceptanceFormatter.current
AgentAcceptanceFormatter.channel = AgentAcceptanceFormatter.current = nil
begin
  status = RSpec::Core::Runner.new(RSpec::Core::ConfigurationOptions.new(ARGV)).run($stderr, $stdout).to_i
rescue SystemExit
  channel.put(:unhandled, ['the process was ended before the run was over'])
  raise
end
formatter.finish
channel.loaded.each_slice(1000) { |files| channel.put(:loaded, files.map { |file| AgentAcceptanceChannel.text(file) }) }
channel.put(:end, { total: formatter.total, exit_status: status })
channel.close
exit(status)
