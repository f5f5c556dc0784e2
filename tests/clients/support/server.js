'use strict';
// The server that a test file drives: the program named on its command line, on a free port of the loopback address.
const { spawn } = require('node:child_process');
const net = require('node:net');

const kHost = '127.0.0.1';
const kAttempts = 5;

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, kHost, () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Resolves to the running process, or to undefined when it ended at once: somebody else took the port. */
function launch(program, port, said) {
  // setpriv: a test that is killed must not leave its server behind.
  const words = ['--pdeathsig', 'TERM', program, '--port', String(port), '--bind', kHost, '--save', ''];
  const child = spawn('setpriv', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    const listen = (chunk) => {
      said.text += chunk;
      if (said.text.includes('Ready to accept connections')) resolve(child);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', () => resolve(undefined));
  });
}

/** Starts the program and waits until it serves; stop() ends it and resolves to its exit code. */
async function startServer(program = process.argv[2]) {
  if (!program) throw new Error('the first argument must be the server to test');
  for (let attempt = 1; ; ++attempt) {
    const port = await freePort();
    const said = { text: '' };
    const child = await launch(program, port, said);
    if (child) {
      const stop = () => new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
        child.once('exit', resolve);
        child.kill('SIGTERM');
      });
      return { host: kHost, port, stop };
    }
    if (attempt === kAttempts) throw new Error(`${program} does not start:\n${said.text}`);
  }
}

module.exports = { startServer };
