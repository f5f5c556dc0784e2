#!/usr/bin/env ruby
# frozen_string_literal: true

# redis_rb_test.rb SERVER: redis-rb of Debian's ruby-redis.
begin
  require 'minitest'
  require 'redis'
rescue LoadError
  puts 'skipped: ruby-redis is not installed'
  exit
end
require_relative 'support/server_process'

# Every test has an empty server.
class Flows < Minitest::Test
  def setup
    @client = connect
    @client.flushall
    @others = []
  end

  def teardown
    [@client, *@others].each(&:close)
  end

  def connect
    Redis.new(url: ENV.fetch('FAIRLANE_TEST_URL'), reconnect_attempts: 1)
  end

  def another
    connect.tap { |client| @others << client }
  end

  # Until somebody waits in a command of this name.
  def wait_for(command)
    sleep 0.001 until @client.client(:list).any? { |client| client['cmd'] == command && client['flags'].include?('b') }
  end

  def test_a_pipeline_answers_in_order
    replies = @client.pipelined do |pipeline|
      pipeline.set('k', 1)
      1000.times { pipeline.incr('k') }
      pipeline.get('k')
    end
    assert_equal ['OK', *2..1001, '1001'], replies
  end

  def test_a_transaction_commits_and_a_watched_key_aborts_it
    assert_equal ['OK', 2], @client.multi { |transaction| transaction.set('k', 1) && transaction.incr('k') }
    other = another
    aborted = @client.watch('k') do
      other.set('k', 10)
      @client.multi { |transaction| transaction.incr('k') }
    end
    assert_nil aborted
    assert_equal '10', @client.get('k')
  end

  def test_an_error_in_a_transaction_is_raised
    error = assert_raises(Redis::CommandError) do
      @client.multi { |transaction| transaction.set('k', 'text') && transaction.lpush('k', 1) }
    end
    assert_equal 'WRONGTYPE Operation against a key holding the wrong kind of value', error.message
  end

  def test_a_blocked_reader_is_served
    reader = another
    popped = Thread.new { reader.blpop('l', timeout: 10) }
    wait_for('blpop')
    @client.rpush('l', 'job')
    assert_equal %w[l job], popped.value
    assert_nil @client.blpop('l', timeout: 0.01)
    assert_nil @client.bzpopmin('z', timeout: 0.01)
  end

  def test_messages_arrive
    messages = Queue.new
    listener = another
    listening = Thread.new do
      listener.psubscribe('news.*') do |on|
        on.psubscribe { |*subscribed| messages << subscribed }
        on.pmessage do |*message|
          messages << message
          listener.punsubscribe if message.last == 'end'
        end
      end
    end
    assert_equal ['news.*', 1], messages.pop
    assert_equal 1, @client.publish('news.a', 'first')
    @client.publish('news.b', 'end')
    listening.join
    assert_equal [['news.*', 'news.a', 'first'], ['news.*', 'news.b', 'end']], [messages.pop, messages.pop]
  end

  def test_a_group_reads_acknowledges_and_claims
    @client.xgroup(:create, 's', 'g', '$', mkstream: true)
    ids = Array.new(3) { |number| @client.xadd('s', { 'n' => number }) }
    read = @client.xreadgroup('g', 'first', 's', '>', count: 2)
    assert_equal([[ids[0], { 'n' => '0' }], [ids[1], { 'n' => '1' }]], read['s'])
    assert_equal 1, @client.xack('s', 'g', ids[0])
    assert_equal 1, @client.xpending('s', 'g')['size']
    assert_equal({ ids[1] => { 'n' => '1' } }, @client.xclaim('s', 'g', 'second', 0, ids[1]).to_h)
    assert_equal [ids[1]], @client.xpending('s', 'g', '-', '+', 10, 'second').map { |entry| entry['entry_id'] }
    assert_equal 3, @client.xlen('s')
    assert_equal ids.reverse, @client.xrevrange('s').map(&:first)
    waiting = another
    arriving = Thread.new { waiting.xread('s', '$', block: 10_000) }
    wait_for('xread')
    last = @client.xadd('s', { 'n' => 'last' })
    assert_equal({ 's' => [[last, { 'n' => 'last' }]] }, arriving.value)
  end

  def test_walks_see_everything
    names = Array.new(3000) { |number| "key:#{number}" }
    @client.mapped_mset(names.to_h { |name| [name, 'x'] })
    assert_equal names.sort, @client.scan_each(match: 'key:*', count: 100).to_a.uniq.sort
    @client.sadd('set', names)
    assert_equal names.sort, @client.sscan_each('set').to_a.uniq.sort
    @client.zadd('sorted', names.each_with_index.map { |name, number| [number, name] })
    assert_equal names.size, @client.zscan_each('sorted').to_a.uniq.size
    @client.mapped_hmset('hash', names.to_h { |name| [name, 'x'] })
    assert_equal names.size, @client.hscan_each('hash').to_h.size
  end

  def test_scripts_run_and_unknown_ones_are_refused
    digest = @client.script(:load, "return {KEYS[1], tonumber(ARGV[1]) + 1}")
    assert_equal ['k', 42], @client.evalsha(digest, keys: ['k'], argv: [41])
    error = assert_raises(Redis::CommandError) { @client.evalsha('0' * 40) }
    assert error.message.start_with?('NOSCRIPT')
  end

  def test_sorted_sets_places_and_sketches
    @client.zadd('z', [[1, 'a'], [2.5, 'b']])
    assert_equal [['a', 1.0], ['b', 2.5]], @client.zrange('z', 0, -1, with_scores: true)
    assert_equal [['a', 1.0]], @client.zpopmin('z', 1).then { |popped| [popped].flatten(1).each_slice(2).to_a }
    @client.geoadd('g', 13.361389, 38.115556, 'Palermo', 15.087269, 37.502669, 'Catania')
    assert_equal '166274.1516', @client.geodist('g', 'Palermo', 'Catania')
    @client.pfadd('p', %w[a b c])
    assert_equal 3, @client.pfcount('p')
  end

  def test_a_client_that_was_cut_off_comes_back
    cut = another
    cut.client(:setname, 'cut')
    @client.client(:kill, 'ID', @client.client(:list).find { |client| client['name'] == 'cut' }['id'])
    assert_equal 'PONG', cut.ping
  end
end

server = ServerProcess.new(ARGV.shift)
ENV['FAIRLANE_TEST_URL'] = "redis://#{ServerProcess::HOST}:#{server.port}/0"
passed = Minitest.run(ARGV)
ended = server.stop
warn 'the server did not end well' unless ended
exit(passed && ended)
