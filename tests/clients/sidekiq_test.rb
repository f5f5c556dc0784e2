#!/usr/bin/env ruby
# frozen_string_literal: true

# sidekiq_test.rb SERVER: Sidekiq pushes jobs, asks after them, and runs them in processes of its own.
# Unusual in what the library asks of a server: walks over sorted sets by negative ranks, a page at a time; whole jobs
# as members, removed by value; SCRIPT LOAD before the first EVALSHA; command names in lower case, in scripts too.
begin
  require 'minitest'
  require 'redis'
  require 'sidekiq'
  require 'sidekiq/api'
  require 'sidekiq/scheduled'
rescue LoadError
  puts 'skipped: ruby-sidekiq is not installed'
  exit
end
require_relative 'support/server_process'

PATIENCE = 20
JOBS = File.expand_path('support/sidekiq_jobs.rb', __dir__)

# Every test has an empty server and starts the processes it needs.
class Flows < Minitest::Test
  def setup
    @client = Redis.new(url: ENV.fetch('FAIRLANE_TEST_URL'))
    @client.flushall
    @processes = []
  end

  def teardown
    @processes.dup.each { |process| stop(process, 'KILL') }
    @client.close
  end

  # A sidekiq process that takes a job at a time, from the first queue first.
  def start_sidekiq(*options, queues: ['default'])
    words = ['sidekiq', '--require', JOBS, '--concurrency', '1', *options]
    queues.each { |queue| words.push('--queue', queue) }
    # setpriv: a test that is killed must not leave its processes behind.
    process = Process.spawn('setpriv', '--pdeathsig', 'KILL', *words, out: File::NULL)
    @processes << process
    process
  end

  def stop(process, signal)
    return unless @processes.delete(process)

    Process.kill(signal, process)
    Process.wait(process)
    $?.exitstatus
  end

  def until_equal(wanted)
    deadline = now + PATIENCE
    until (seen = yield) == wanted
      flunk("#{seen.inspect} instead of #{wanted.inspect}") if now > deadline
      sleep 0.01
    end
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # The next notes that jobs leave.
  def notes(count)
    Array.new(count) { @client.blpop('notes', timeout: PATIENCE)&.last }
  end

  def test_jobs_run_in_the_order_they_came
    ids = Array.new(20) { |number| Echo.perform_async("job-#{number}") }
    queue = Sidekiq::Queue.new
    assert_equal 20, queue.size
    assert_equal ids.reverse, queue.map(&:jid)
    assert_equal ['job-7'], queue.find_job(ids[7]).args
    process = start_sidekiq
    assert_equal Array.new(20) { |number| "job-#{number}" }, notes(20)
    Echo.perform_async('late')
    assert_equal ['late'], notes(1)
    stop(process, 'TERM')
    stats = Sidekiq::Stats.new
    assert_equal [21, 0, 0], [stats.processed, stats.failed, stats.enqueued]
    assert_equal 0, Sidekiq::ProcessSet.new.size
  end

  def test_the_first_queue_goes_first
    Echo.set(queue: 'low').perform_async('3')
    Echo.set(queue: 'high').perform_async('1')
    Echo.set(queue: 'high').perform_async('2')
    assert_equal({ 'high' => 2, 'low' => 1 }, Sidekiq::Stats.new.queues)
    start_sidekiq(queues: %w[high low])
    assert_equal %w[1 2 3], notes(3)
  end

  def test_many_jobs_are_pushed_at_once_and_run_once
    ids = Sidekiq::Client.push_bulk('class' => 'Echo', 'args' => Array.new(500) { |number| [number.to_s] })
    assert_equal 500, ids.uniq.size
    2.times { start_sidekiq('--concurrency', '5', queues: ['default,2', 'other,1']) }
    assert_equal Array.new(500, &:to_s), notes(500).sort_by(&:to_i)
  end

  def test_a_scheduled_job_waits_for_its_time
    Echo.perform_in(0.3, 'soon')
    Echo.perform_in(3600, 'never')
    never, soon = Sidekiq::ScheduledSet.new.to_a
    assert_equal %w[never soon], [never, soon].map { |job| job.args.first }
    until_equal(1) do
      enqueue_what_is_due
      Sidekiq::Queue.new.size
    end
    assert_operator Time.now, :>=, soon.at
    start_sidekiq
    assert_equal ['soon'], notes(1)
    never.reschedule(Time.now - 1)
    enqueue_what_is_due
    assert_equal ['never'], notes(1)
    assert_equal 0, Sidekiq::ScheduledSet.new.size
  end

  # What a process does by itself, up to five seconds after it started: a script takes the jobs.
  def enqueue_what_is_due
    Sidekiq::Scheduled::Enq.new.enqueue_jobs
  end

  def test_a_failing_job_is_retried_then_dead_and_can_be_revived
    start_sidekiq
    Flaky.perform_async('flaky')
    retries = Sidekiq::RetrySet.new
    until_equal(1) { retries.size }
    assert_equal ['ArgumentError', 'not yet flaky', 0], retries.first.item.values_at('error_class', 'error_message',
                                                                                     'retry_count')
    retries.first.add_to_queue
    assert_equal ['gave up flaky: not yet flaky'], notes(1)
    dead = Sidekiq::DeadSet.new
    until_equal(1) { dead.size }
    assert_equal 0, retries.size
    @client.set('repaired', '1')
    dead.first.retry
    assert_equal ['flaky'], notes(1)
    assert_equal 0, dead.size
  end

  def test_a_busy_process_shows_its_work_and_puts_it_back_when_it_must_end
    process = start_sidekiq('--timeout', '1')
    job = Linger.perform_async('long')
    assert_equal ['began long'], notes(1)
    until_equal(1) { Sidekiq::ProcessSet.new.size }
    assert_equal ['default'], Sidekiq::ProcessSet.new.first['queues']
    stop(process, 'TERM')
    assert_equal [job], Sidekiq::Queue.new.map(&:jid)
    @client.set('released', '1')
    start_sidekiq
    assert_equal ['began long', 'ended long'], notes(2)
  end

  def test_jobs_can_be_deleted_and_queues_cleared
    kept, gone = %w[kept gone].map { |text| Echo.perform_async(text) }
    queue = Sidekiq::Queue.new
    assert queue.find_job(gone).delete
    assert_equal [kept], queue.map(&:jid)
    later = Array.new(3) { |number| Echo.perform_in(600 + number, number.to_s) }
    scheduled = Sidekiq::ScheduledSet.new
    assert_equal later[1], scheduled.find_job(later[1]).jid
    assert scheduled.find_job(later[1]).delete
    assert_equal [later[2], later[0]], scheduled.map(&:jid)
    assert_equal 2, scheduled.scan('Echo').to_a.size
    scheduled.clear
    queue.clear
    assert_equal [0, 0], [scheduled.size, queue.size]
  end
end

server = ServerProcess.new(ARGV.shift)
ENV['FAIRLANE_TEST_URL'] = "redis://#{ServerProcess::HOST}:#{server.port}/0"
require_relative 'support/sidekiq_jobs'
passed = Minitest.run(ARGV)
ended = server.stop
warn 'the server did not end well' unless ended
exit(passed && ended)
