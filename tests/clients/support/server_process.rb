# frozen_string_literal: true

require 'socket'

# The server that a test file drives, on a free port of the loopback address. Runs the program from construction until
# stop().
class ServerProcess
  HOST = '127.0.0.1'
  ATTEMPTS = 5
  READY = 'Ready to accept connections'

  attr_reader :port

  def initialize(program)
    raise 'the first argument must be the server to test' unless program

    @said = +''
    ATTEMPTS.times do
      @port = free_port
      return if launch(program)
    end
    raise "#{program} does not start:\n#{@said}"
  end

  # Ends the process; false when it did not end well.
  def stop
    Process.kill('TERM', @process)
    Process.wait(@process)
    $?.success?
  end

  private

  def free_port
    TCPServer.open(HOST, 0) { |probe| probe.addr[1] }
  end

  # False when the process ended at once: somebody else took the port.
  def launch(program)
    output, input = IO.pipe
    # setpriv: a test that is killed must not leave its server behind.
    @process = Process.spawn('setpriv', '--pdeathsig', 'TERM', program, '--port', port.to_s, '--bind', HOST,
                             '--save', '', in: File::NULL, %i[out err] => input)
    input.close
    ready = output.each_line.any? { |line| (@said << line).include?(READY) }
    # To the end, lest the server waits for a full pipe.
    Thread.new { output.read } if ready
    Process.wait(@process) unless ready
    ready
  end
end
