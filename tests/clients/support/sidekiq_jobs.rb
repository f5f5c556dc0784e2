# frozen_string_literal: true

# The jobs of sidekiq_test.rb, which the test pushes and a sidekiq process runs.
require 'sidekiq'

# Sidekiq 6.4 is older than the warnings of its library.
Redis.silence_deprecations = true

Sidekiq.configure_client { |config| config.redis = { url: ENV.fetch('FAIRLANE_TEST_URL') } }
Sidekiq.configure_server do |config|
  config.redis = { url: ENV.fetch('FAIRLANE_TEST_URL') }
  config.options[:poll_interval_average] = 0.05
end

# Leaves a note in a list of the server.
module Notes
  def note(text)
    Sidekiq.redis { |connection| connection.rpush('notes', text) }
  end
end

class Echo
  include Sidekiq::Worker
  include Notes
  sidekiq_options queue: 'default'

  def perform(text)
    note(text)
  end
end

# Fails until somebody sets the key `repaired`.
class Flaky
  include Sidekiq::Worker
  include Notes
  sidekiq_options retry: 1
  sidekiq_retries_exhausted do |job, error|
    Sidekiq.redis { |connection| connection.rpush('notes', "gave up #{job['args'].first}: #{error.message}") }
  end

  def perform(text)
    raise ArgumentError, "not yet #{text}" unless Sidekiq.redis { |connection| connection.get('repaired') }

    note(text)
  end
end

# Says that it runs, and comes to its end when somebody sets the key `released`.
class Linger
  include Sidekiq::Worker
  include Notes

  def perform(text)
    note("began #{text}")
    sleep 0.01 until Sidekiq.redis { |connection| connection.get('released') }
    note("ended #{text}")
  end
end
